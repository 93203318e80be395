#!/usr/bin/env bash
# Builds the Python client, installs its wheel, checks its types, and runs its
# tests and the examples against bin/sandbox.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$root/bin/python
bash "$here/build.sh"
python3 -m venv --clear "$work/installed"
"$work/installed/bin/pip" install --quiet --disable-pip-version-check "$work"/dist/*.whl
temp=$(mktemp -d)
"$root/bin/sandbox" --port 0 --env-file "$temp/env" >"$temp/log" 2>&1 &
sandbox=$!
trap 'kill "$sandbox" 2>/dev/null; wait "$sandbox" 2>/dev/null; rm -rf "$temp"' EXIT
for _ in $(seq 600); do
	[[ -s $temp/env ]] && break
	kill -0 "$sandbox" 2>/dev/null || { cat "$temp/log" >&2; exit 1; }
	sleep 0.1
done
[[ -s $temp/env ]] || { echo "The sandbox is not ready after a minute." >&2; exit 1; }
"$work/tools/bin/mypy" --strict --follow-imports=silent --python-executable "$work/installed/bin/python" \
	"$work/package/docledger/__init__.py" "$work/package/docledger/retries.py" "$work/package/docledger/values.py"
export DOCLEDGER_ENV_FILE=$temp/env DOCLEDGER_EXAMPLE=$root/examples/invoice-ubl.xml
# The guides first: they expect the records of a new sandbox.
(cd "$temp" && "$work/installed/bin/python" "$here/tests/guides.py" "$root" "$temp" "$work/tools/bin/mypy")
(cd "$temp" && "$work/installed/bin/python" -m unittest discover --start-directory "$here/tests")
set -a
# shellcheck disable=SC1091
. "$temp/env"
set +a
cd "$root/examples/integration"
want="2026-0042 318.92 EUR"
for example in "bash integration.sh" "$work/installed/bin/python integration.py" "go run -buildvcs=false ./go"; do
	got=$($example ../invoice-ubl.xml)
	[[ $got == "$want" ]] || { echo "$example printed '$got', want '$want'." >&2; exit 1; }
	echo "$example: $got"
done

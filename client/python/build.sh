#!/usr/bin/env bash
# Generates the Python client from the specification and builds its wheel into
# bin/python/dist.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$root/bin/python
rm -rf "$work/package" "$work/dist"
mkdir -p "$work/package"
if ! cmp -s "$here/requirements.txt" "$work/tools/installed.txt"; then
	python3 -m venv --clear "$work/tools"
	"$work/tools/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
	cp "$here/requirements.txt" "$work/tools/installed.txt"
fi
cp -R "$here/docledger" "$here/pyproject.toml" "$here/README.md" "$root/LICENSE" "$work/package/"
find "$work/package" -name __pycache__ -prune -exec rm -rf {} +
version=$(sed -n 's/^  version: //p' "$root/openapi/common.yaml")
printf '"""The version of the specification."""\n\n__version__ = "%s"\n' "$version" >"$work/package/docledger/version.py"
"$work/tools/bin/openapi-python-client" generate --fail-on-warning --path "$root/openapi/docledger.json" \
	--config "$here/generator.yaml" --meta none --output-path "$work/package/docledger/api" >/dev/null
"$work/tools/bin/python" "$here/values.py" "$root/openapi/docledger.json" "$work/package/docledger/values.py"
"$work/tools/bin/python" -m build --wheel --no-isolation --outdir "$work/dist" "$work/package" >/dev/null
"$work/tools/bin/python" -c 'import sys; print("built", sys.argv[1])' "$(ls "$work"/dist/*.whl)"

#!/usr/bin/env bash
# Runs the tests that need a real browser: the one in $BROWSER, or a Chromium or
# Chrome that is installed, or else Chromium from the machine's packages.
set -euo pipefail
cd "$(dirname "$0")"
found() {
	local name
	for name in ${BROWSER:-chromium chromium-browser google-chrome google-chrome-stable}; do
		command -v "$name" && return
	done
	return 1
}
if ! BROWSER=$(found) && [[ $(id -u) -eq 0 ]] && command -v apt-get >/dev/null; then
	echo "no browser is installed; installing chromium" >&2
	{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; } >&2 || true
	BROWSER=$(found) || true
fi
if [[ -z ${BROWSER:-} ]]; then
	echo "================================================================" >&2
	echo "SKIPPED: there is no browser. Nothing was tested of the pages of" >&2
	echo "the documentation and of the TypeScript client in browsers." >&2
	echo "Install chromium, or name a browser in BROWSER." >&2
	echo "================================================================" >&2
	exit 0
fi
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2
bash ../../../client/typescript/install.sh
CLIENT=$(mktemp -d)
trap 'rm -rf "$CLIENT"' EXIT
../../../client/typescript/node_modules/.bin/tsc -p ../../../gen/typescript --outDir "$CLIENT"
export BROWSER CLIENT
node --test --test-concurrency=1 --test-reporter=spec "$@"

#!/usr/bin/env bash
# Installs what package-lock.json pins, unless it is there already.
set -euo pipefail
cd "$(dirname "$0")"
if ! command -v npm >/dev/null; then
	echo "the TypeScript client needs npm, of node 20 or later, which is not installed" >&2
	exit 1
fi
if ! cmp -s package-lock.json node_modules/installed-lock.json; then
	npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2
	cp package-lock.json node_modules/installed-lock.json
fi

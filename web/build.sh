#!/usr/bin/env bash
# Builds the web application into adapter/webapp/dist. With --if-changed it does
# nothing if the sources are those of the last build, and only says so if Node
# is missing: the service then builds without pages.
set -euo pipefail
cd "$(dirname "$0")"
dist=../adapter/webapp/dist
optional=false
[[ ${1:-} == --if-changed ]] && optional=true

sources() {
	find . ../gen/typescript/src -path ./node_modules -prune -o -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum
}

if $optional && [[ -f $dist/index.html ]] && [[ "$(cat "$dist/.sources" 2>/dev/null)" == "$(sources)" ]]; then
	exit 0
fi
if ! command -v npm >/dev/null || ! node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 12) || (a === 20 && b >= 19) ? 0 : 1)'; then
	echo "The web application needs Node 20.19 or 22.12 or later, with npm. Without it, docledger serves no pages." >&2
	$optional && exit 0
	exit 1
fi
install() {
	cmp -s package-lock.json node_modules/installed-lock.json && return
	npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2 && cp package-lock.json node_modules/installed-lock.json
}
build() {
	npm run --silent check && npm run --silent build
}
if ! (install && build) >/tmp/docledger-web.$$ 2>&1; then
	cat "/tmp/docledger-web.$$" >&2
	rm -f "/tmp/docledger-web.$$"
	echo "The web application was not built; docledger serves the pages of the last build, if there is one." >&2
	$optional && exit 0
	exit 1
fi
grep '^web:' "/tmp/docledger-web.$$" || true
rm -f "/tmp/docledger-web.$$"
sources >"$dist/.sources"

#!/usr/bin/env bash
# Fails on whatever a commit must not hold: stale generated code, code that is
# not formatted, untidy modules, findings of vet and staticcheck.
set -uo pipefail
status=0
problem() {
	echo "verify: $*" >&2
	status=1
}

before=$(mktemp -d)
trap 'rm -rf "$before"' EXIT
cp -r gen openapi infrastructure/notices/notices.txt.gz adapter/extract/worker/pdfium.wasm.gz migrations/sqlite.db.gz "$before"
make --no-print-directory gen || problem "generation failed"
diff -r "$before/gen" gen >/dev/null || problem "gen/ was stale; it is regenerated now, commit it"
diff -r "$before/openapi" openapi >/dev/null || problem "openapi/docledger.json or openapi/specifications.zip was stale; it is regenerated now, commit it"
cmp -s "$before/notices.txt.gz" infrastructure/notices/notices.txt.gz || problem "notices.txt.gz was stale; it is regenerated now, commit it"
cmp -s "$before/pdfium.wasm.gz" adapter/extract/worker/pdfium.wasm.gz || problem "pdfium.wasm.gz was stale; it is regenerated now, commit it"
cmp -s "$before/sqlite.db.gz" migrations/sqlite.db.gz || problem "migrations/sqlite.db.gz was stale; it is regenerated now, commit it"

unformatted=$(gofmt -l $(git ls-files -co --exclude-standard '*.go' | grep -v '^gen/'))
[[ -z $unformatted ]] || problem "not formatted, run make fmt: $unformatted"
go mod tidy -diff >/dev/null 2>&1 || problem "go.mod or go.sum is not tidy, run go mod tidy"
make --no-print-directory lint || problem "vet or staticcheck has findings"
# The specs' own lint, and the walk of routes against specs.
go test ./openapi/... ./adapter/httpapi/... ./test/suites/arch/... || problem "specs, routes or rooms do not fit"
[[ $status -eq 0 ]] && echo "verify: nothing to complain about"
exit "$status"

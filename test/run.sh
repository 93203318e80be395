#!/usr/bin/env bash
# Runs every test: with the race detector, except for the packages that use SQLite
# most of the time, which it slows twentyfold. Packages that read documents are tested in
# both ways: the PDF engine does not compile under the race detector, and limits of
# processor time are not asserted under it.
set -euo pipefail
plain='^docledger/(adapter/store/(storetest/sqlite|transfer)|adapter/queue/queuetest/sqlite|usecase/(sync|watching|integrations|billing|identities)$|test/)'
both='^docledger/(adapter/extract(/(worker|einvoice|pdf|pdftext|readable|ocr/raster))?|domain/(invoice|extraction/textrules))$'
mapfile -t all < <(go list ./... | grep -v '^docledger/test/attack$')
mapfile -t race < <(printf '%s\n' "${all[@]}" | grep -Ev "$plain" || true)
mapfile -t rest < <(printf '%s\n' "${all[@]}" | grep -E "$plain|$both" || true)
status=0
if [[ -z ${EINVOICE_SUITES:-} ]]; then
	# Without -v the tests cannot say it: go prints nothing of a package that passes.
	echo "THE OFFICIAL E-INVOICE SUITES ARE ABSENT: the committed tables of their cases and severities were tested instead (EINVOICE_SUITES)." >&2
fi
# What the suites over HTTP see of each field of the API's answers; see test/fields.
DOCLEDGER_FIELDS=$(mktemp -d)
export DOCLEDGER_FIELDS
trap 'rm -rf "$DOCLEDGER_FIELDS"' EXIT
go test -race -timeout 15m "${race[@]}" || status=$?
go test -timeout 15m "${rest[@]}" || status=$?
# The whole product on PostgreSQL, with the race detector.
go test -race -timeout 15m -run '^(TestUploadBecomes.*|TestReview.*|TestIdempotency.*|TestTrialLimits.*|TestConcurrent.*|TestSweep.*)$/^postgres$' ./test/e2e || status=$?
# Attacks assert response times, so no other package runs concurrently.
go test -timeout 15m ./test/attack || status=$?
go run ./test/fields "$DOCLEDGER_FIELDS" || status=$?
exit "$status"

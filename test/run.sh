#!/usr/bin/env bash
# Runs every test: with the race detector, but for the packages whose time is
# SQLite's, which it slows twentyfold. What reads PDFs is tested in both ways,
# since its engine does not compile under the race detector.
set -euo pipefail
plain='^docledger/(adapter/store/(storetest/sqlite|transfer)|adapter/jobs/jobstest/sqlite|test/)'
mapfile -t all < <(go list ./... | grep -v '^docledger/test/attack$')
mapfile -t race < <(printf '%s\n' "${all[@]}" | grep -Ev "$plain" || true)
mapfile -t rest < <(printf '%s\n' "${all[@]}" | grep -E "$plain|^docledger/adapter/extract/worker$" || true)
status=0
# What the suites over HTTP see of each field of the API's answers; see test/fields.
DOCLEDGER_FIELDS=$(mktemp -d)
export DOCLEDGER_FIELDS
trap 'rm -rf "$DOCLEDGER_FIELDS"' EXIT
go test -race -timeout 15m "${race[@]}" || status=$?
go test -timeout 15m "${rest[@]}" || status=$?
# The whole product on PostgreSQL, with the race detector.
go test -race -timeout 15m -run '^(TestUploadBecomes.*|TestReview.*|TestIdempotency.*|TestTrialLimits.*|TestConcurrent.*|TestSweep.*)$/^postgres$' ./test/e2e || status=$?
# Attacks assert response times, so no other package runs beside them.
go test -timeout 15m ./test/attack || status=$?
go run ./test/fields "$DOCLEDGER_FIELDS" || status=$?
exit "$status"

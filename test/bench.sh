#!/usr/bin/env bash
# Prints the figures of the product and the benchmarks of its parts.
set -euo pipefail
go run ./test/bench
go test -run '^$' -bench . -benchtime 20x ./adapter/extract/... ./adapter/httpapi/... 2>/dev/null | grep -E '^(Benchmark|pkg:)' || true
# Webhooks made durable beside a bare transaction, on a PostgreSQL that syncs;
# billing reads.
go run ./test/postgres/cmd/testpostgres -- go test -run '^$' -bench Receipts -benchtime 1x ./usecase/billing | grep -E '^(Benchmark|pkg:)'
go test -run '^$' -bench Read -benchtime 500x ./usecase/billing | grep -E '^Benchmark'
# One invoice through the whole service beside a bare handler, uploads, and
# printed PDFs read beside the reader alone; a document beside another
# organization's backlog; lists near their start and their
# end, of a million rows.
go run ./test/postgres/cmd/testpostgres -- go test -run '^$' -bench . -benchtime 1x ./test/load | grep -E '^(Benchmark|pkg:)'
DOCLEDGER_BENCH_ROWS=1000000 go run ./test/postgres/cmd/testpostgres -- go test -run '^$' -bench ListDepth -benchtime 200x -timeout 30m ./adapter/store | grep -E '^Benchmark'

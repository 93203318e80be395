#!/usr/bin/env bash
# Runs the tests: with the race detector, except for two kinds of packages. Packages that use
# SQLite most of the time become twenty times slower with it. Packages that only compute
# over the content of a document start no goroutine, and their time limits hold without it only.
# The attacks and the kills have their own commands: make attack, make faults.
#
# `run.sh fast` is a first result after about a minute: no race detector, one database in memory,
# and no suite over the whole service. Go repeats only what changed since the last run.
set -euo pipefail
sqlite='migrations|adapter/store/(storetest/sqlite|transfer)|adapter/queue/queuetest/sqlite|usecase/(sync|watching|integrations|billing|identities)'
content='adapter/extract/(container|content|einvoice|pdf|pdftext|readable|signed|sniff|ocr)(/.*)?|domain/extraction(/.*)?'
# These tests of adapter/store fill databases and read them in one goroutine.
filled='^(TestFiltersOfManyInvoices|TestFiltersReadTheirIndex|TestReportReadsOnePeriod|TestLongSeller)$'
mapfile -t all < <(go list ./... | grep -Ev '^docledger/(gen/|test/(.*/)?(attack|faults)$)')
# The files of the tests lie in memory, if it has room for them and programs may run there: SQLite
# and the document folder write each change to the disk, which takes half of the processor time of
# their tests. The folder has a fixed name, because Go repeats a test whose environment changes.
in_memory() {
	local dir=/dev/shm/docledger-test-$UID program
	[[ -d /dev/shm ]] && mkdir -p -m 711 "$dir" 2>/dev/null && [[ -O $dir ]] || return 0
	(($(df -Pk "$dir" | awk 'END { print $4 }') >= 4 << 20)) || return 0
	program=$dir/true.$$
	if cp "$(type -P true)" "$program" && "$program" 2>/dev/null; then
		export GOTMPDIR=${TMPDIR:-/tmp} TMPDIR=$dir
	fi
	rm -f "$program"
}
in_memory
if [[ ${1:-} == fast ]]; then
	mapfile -t some < <(printf '%s\n' "${all[@]}" | grep -Ev "^docledger/($sqlite|adapter/(store|queue)/.*postgres|test/|adapter/extract/(container|einvoice/rules))" || true)
	exec go test -skip "$filled" "${some[@]}" ./test/suites/arch
fi
plain="^docledger/($sqlite|$content|test/.*)\$"
mapfile -t race < <(printf '%s\n' "${all[@]}" | grep -Ev "$plain" || true)
# adapter/extract and its worker are tested in both ways, because they start children that read
# PDFs, and adapter/store, because some of its tests fill databases.
mapfile -t rest < <(printf '%s\n' "${all[@]}" | grep -E "$plain|^docledger/adapter/(extract(/worker)?|store)\$" || true)
# The longest packages start first, so that none of them runs alone at the end.
long='^docledger/(test/suites/(e2e|operations|tools)|usecase/(billing|sync))$'
mapfile -t rest < <(printf '%s\n' "${rest[@]}" | grep -E "$long" || true; printf '%s\n' "${rest[@]}" | grep -Ev "$long" || true)
status=0
if [[ -z ${EINVOICE_SUITES:-} ]]; then
	# Without -v the tests cannot say it: go prints nothing of a package that passes.
	echo "THE OFFICIAL E-INVOICE SUITES ARE ABSENT: the committed tables of their cases and severities were tested instead (EINVOICE_SUITES)." >&2
fi
# What the suites over HTTP see of each field of the API's answers; see test/cmd/fields.
DOCLEDGER_FIELDS=$(mktemp -d)
export DOCLEDGER_FIELDS
trap 'rm -rf "$DOCLEDGER_FIELDS"' EXIT
phase() {
	local began=$SECONDS
	echo "-- $1"
	shift
	"$@" || status=$?
	echo "-- took $((SECONDS - began)) s"
}
# make verify vets; here it would take as long as linking.
phase "with the race detector" go test -race -vet=off -timeout 15m -skip "$filled" "${race[@]}"
# Three packages and four tests of each at once: the suites wait more than they compute.
phase "without it" go test -vet=off -p 3 -parallel 4 -timeout 15m "${rest[@]}"
phase "the whole product on PostgreSQL, with the race detector" go test -race -vet=off -timeout 15m \
	-run '^(TestUploadBecomes.*|TestReview.*|TestIdempotency.*|TestTrialLimits.*|TestConcurrent.*|TestSweep.*)$/^postgres$' ./test/suites/e2e
phase "fields of the answers" go run ./test/cmd/fields "$DOCLEDGER_FIELDS"
exit "$status"

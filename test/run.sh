#!/usr/bin/env bash
# Runs the tests: with the race detector, except for two kinds of packages. Packages that use
# SQLite most of the time become twenty times slower with it. Packages that only compute, over the
# content of a document, a record or the specification, share almost nothing between goroutines, and
# the time limits of some hold without it only.
# The attacks and the kills have their own commands: make attack, make faults.
#
# `run.sh fast` is a first result within a minute: no race detector, one database in memory, no suite
# over the whole service, and none of the tests in `many` and `slow`. Go repeats only what changed
# since the last run.
set -euo pipefail
sqlite='migrations|adapter/store/(storetest/sqlite|transfer)|adapter/queue/queuetest/sqlite|usecase/(sync|watching|integrations|billing|identities)|cmd/docledger'
content='adapter/extract/(container|content|einvoice|pdf|pdftext|readable|signed|sniff|ocr)(/.*)?|domain/extraction(/.*)?'
computed="$content|domain/.*|openapi(/.*)?|adapter/toolserver/catalog|adapter/httpapi/(convert|docs|export|spectest)|adapter/sim/definition|infrastructure/(archive|config|crypto|notices)"
# These tests fill databases, read very long responses, or send requests of every operation, one after
# the other. They run without the race detector, and the others of their packages with it.
many='^(TestFiltersOfManyInvoices|TestSumsOfAPartOfAFilter|TestFiltersReadTheirIndex|TestReportReadsOnePeriod|TestLongSeller|TestErasureCleansTheIndexOfSearches|TestSearchReadsOneOrganization|TestSearchOfPostgreSQLReadsOneOrganization|TestCommonSearchOfPostgreSQLComputesNoKeys|TestRequestsOfEveryOperation|TestAssistantsAreRefusedFirst|TestEndlessLists|TestTooLongResponse)$'
# These tests start a child for each of many PDFs, or wait until other processes give up a job.
slow='^(TestHostileContentIsBounded|TestSlowAmounts|TestGeneratedPDFs|TestCorpus|TestUnheardJobIsGivenBack|TestOneProcessSweeps|TestKilledWorkerOnPostgreSQL)$'
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
# Collections take a seventh of the processor time of tests.
export GOGC=${GOGC:-400}
if [[ ${1:-} == fast ]]; then
	mapfile -t some < <(printf '%s\n' "${all[@]}" | grep -Ev "^docledger/($sqlite|adapter/(store|queue)/.*postgres|test/|adapter/extract/(container|einvoice/rules))" || true)
	# Tests that wait leave the processors to others. make verify vets.
	exec go test -vet=off -p 3 -skip "$many|$slow" "${some[@]}" ./test/suites/arch
fi
plain="^docledger/($sqlite|$computed|test/.*)\$"
mapfile -t race < <(printf '%s\n' "${all[@]}" | grep -Ev "$plain" || true)
# adapter/extract and its worker are tested in both ways, because they start children that read
# PDFs.
mapfile -t rest < <(printf '%s\n' "${all[@]}" | grep -E "$plain|^docledger/adapter/extract(/worker)?\$" || true)
# The longest packages start first, so that none of them runs alone at the end.
long='^docledger/(test/suites/(e2e|month|operations|tools)|usecase/(billing|sync)|adapter/extract)$'
mapfile -t rest < <(printf '%s\n' "${rest[@]}" | grep -E "$long" || true; printf '%s\n' "${rest[@]}" | grep -Ev "$long" || true)
if [[ -z ${EINVOICE_SUITES:-} ]]; then
	# Without -v the tests cannot say it: go prints nothing of a package that passes.
	echo "THE OFFICIAL E-INVOICE SUITES ARE ABSENT: the committed tables of their cases and severities were tested instead (EINVOICE_SUITES)." >&2
fi
folder=$(mktemp -d)
racing=
# The detector's phases are a process group of their own, which ends with this script.
trap '[[ -z $racing ]] || kill -- "-$racing" 2>/dev/null || true; rm -rf "$folder"' EXIT
# What the suites over HTTP see of each field of the API's answers; see test/cmd/fields.
export DOCLEDGER_FIELDS=$folder/fields
mkdir "$DOCLEDGER_FIELDS"
# A program with the race detector waits a second at its end for reports of other goroutines.
# Each package and each child does so.
export GORACE=${GORACE:-atexit_sleep_ms=50}
status=0
phase() {
	local began=$SECONDS
	echo "-- $1"
	shift
	"$@" || status=1
	echo "-- took $((SECONDS - began)) s"
}
# make verify vets; here it would take as long as linking.
with_race() {
	phase "with the race detector" go test -race -vet=off -p 1 -timeout 15m -skip "$many" "${race[@]}"
	phase "the whole product on PostgreSQL, with the race detector" go test -race -vet=off -timeout 15m \
		-run '^(TestUploadBecomes.*|TestReview.*|TestIdempotency.*|TestTrialLimits.*|TestConcurrent.*|TestSweep.*)$/^postgres$' ./test/suites/e2e
	return "$status"
}
# Both ways run side by side, because many suites wait more than they compute: four packages at once,
# of which one has the race detector. What it finds is printed after the rest.
set -m
with_race >"$folder/race" 2>&1 &
racing=$!
set +m
# Three packages and four tests of each at once.
phase "without it" go test -vet=off -p 3 -parallel 4 -timeout 15m "${rest[@]}"
mapfile -t with_many < <(grep -rlE --include='*_test.go' "^func (${many:2:-2})\(" adapter cmd domain infrastructure usecase | xargs -n 1 dirname | sort -u | sed 's,^,./,')
phase "many rows and requests, without it" go test -vet=off -timeout 15m -run "$many" "${with_many[@]}"
wait "$racing" || status=1
racing=
cat "$folder/race"
phase "fields of the answers" go run ./test/cmd/fields "$DOCLEDGER_FIELDS"
exit "$status"

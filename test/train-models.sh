#!/usr/bin/env bash
# Trains the rankers with the files of test/suites/layouts/training.txt and generated documents,
# and writes them into adapter/extract/pdftext/models. With the argument "check" it
# compares them with the committed models instead: they must be the same bytes.
# It needs python3 with the packages of test/suites/layouts/requirements.txt.
set -euo pipefail
cd "$(dirname "$0")/.."
shared=${DOCLEDGER_SHARED:-../shared}
models=adapter/extract/pdftext/models
record=test/suites/layouts/trained.txt
if [[ ! -d $shared/cases/layouts ]]; then
	echo "NOT TRAINED: there are no layouts at $shared; set DOCLEDGER_SHARED to the folder of training.txt"
	exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
# Features of tax identifiers depend on the parties. The rankers of the parties are
# trained first, without any other, so that former models have no influence.
mkdir "$work/models"
go build -o "$work/readlayouts" ./test/suites/layouts/cmd/readlayouts
candidates() {
	"$work/readlayouts" -cache "$work/words" -models "$work/models" -features "$work/features.jsonl" "$shared"
}
candidates
python3 test/suites/layouts/train.py --field=seller --field=buyer "$work/models" "$work/features.jsonl"
candidates
python3 test/suites/layouts/train.py --field=number --field=issue_date --field=due_date --field=tax_id --field=totals "$work/models" "$work/features.jsonl"
if [[ ${1:-} == check ]]; then
	for model in "$models"/*.json; do
		cmp "$model" "$work/models/$(basename "$model")"
	done
	echo "the committed models are reproduced exactly"
	exit 0
fi
cp "$work"/models/*.json "$models"
sha256sum test/suites/layouts/train.py test/suites/layouts/training.txt test/suites/layouts/requirements.txt "$models"/*.json >"$record"

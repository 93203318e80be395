#!/usr/bin/env bash
# Measures the second document of a supplier after the first one was corrected: through the
# API of a service, with the printed layouts, and with models that did not see the layouts of
# each fold. It needs python3 with the packages of test/suites/layouts/requirements.txt.
set -euo pipefail
cd "$(dirname "$0")/.."
shared=$(realpath -m "${DOCLEDGER_SHARED:-../shared}")
if [[ ! -f $shared/cases/layouts/expected.json ]]; then
	echo "NOT MEASURED: there are no layouts at $shared; set DOCLEDGER_SHARED to the folder of test/suites/layouts/training.txt"
	exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
go run ./test/suites/layouts/cmd/readlayouts -cache "$work/words" -features "$work/features.jsonl" "$shared"
python3 test/suites/layouts/train.py --folds "$work/models" "$work/features.jsonl" >"$work/train.log"
go test -vet=off -c -o "$work/program" ./test/suites/layouts/second
for fold in 0 1 2 3 4; do
	mkdir "$work/$fold"
	cp "$work/program" "$work/$fold/second.test"
	cp -r "$work/models/fold$fold" "$work/$fold/models"
	"$work/$fold/second.test" -layouts "$shared/cases/layouts" -fold "$fold" "$@" | tee -a "$work/result"
done
python3 - "$work/result" <<'PY'
import re, sys
for kind in ("ALONE", "SECOND"):
    rows = [list(map(int, re.findall(r"(?<![.\d])\d+(?![.\d])(?! %)", line))) for line in open(sys.argv[1]) if line.startswith(kind)]
    documents, right, values, exact, passed, wrong, stated = map(sum, zip(*rows))
    print(f"{kind} of all folds: documents {documents}, fields {right}/{values} = {100 * right / values:.2f} %, exact {exact}, "
          f"without a person {passed} = {100 * passed / documents:.1f} %, sure and wrong {wrong} of {stated} stated values")
PY

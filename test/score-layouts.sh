#!/usr/bin/env bash
# Scores the built extractor on the printed layouts, where there are some
# alongside the project: the layouts that rules were made on, those left out of
# making them, and all together. Nothing of a left-out document is printed
# except its share in the sums.
set -euo pipefail
cases=${DOCLEDGER_LAYOUTS:-../shared/cases/layouts}
scorer=${DOCLEDGER_SCORER:-../shared/tools/score-extraction}
if [[ ! -f $cases/expected.json || ! -x $scorer ]]; then
	echo "NOT SCORED: there are no layouts at $cases; set DOCLEDGER_LAYOUTS and DOCLEDGER_SCORER to score some"
	exit 0
fi
exec python3 "$(dirname "$0")/suites/layouts/score.py" "$scorer" "$cases" "${1:-bin/docledger}" "${2:-all}"

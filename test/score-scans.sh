#!/usr/bin/env bash
# Scores the built extractor on scans: those of the corpus alongside the project,
# then printed layouts that are rasterized and damaged with a fixed seed. $1 is
# the extractor, $2 how many layouts (0: none), $3 the seed.
set -euo pipefail
corpus=${DOCLEDGER_CORPUS:-../shared/corpus}
layouts=${DOCLEDGER_LAYOUTS:-../shared/cases/layouts}
scorer=${DOCLEDGER_SCORER:-../shared/tools/score-extraction}
binary=${1:-bin/docledger}
count=${2:-100}
here=$(dirname "$0")
if [[ ! -f $corpus/expected.json || ! -x $scorer ]]; then
	echo "NOT SCORED: there is no corpus at $corpus; set DOCLEDGER_CORPUS and DOCLEDGER_SCORER to score one"
	exit 0
fi
python3 "$here/lib/scans/score.py" "$scorer" "$corpus" "$binary" scan
if [[ $count == 0 ]]; then exit 0; fi
if ! command -v pdftoppm >/dev/null || [[ ! -f $layouts/expected.json ]]; then
	echo "LAYOUTS NOT SCORED: that needs pdftoppm (poppler-utils) and the layouts at $layouts"
	exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
layouts=$(realpath "$layouts")
(cd "$here" && go run ./lib/scans/cmd/rasterize -n "$count" -seed "${3:-1}" "$layouts" "$folder")
python3 "$here/lib/scans/score.py" "$scorer" "$folder" "$binary"

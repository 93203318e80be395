#!/usr/bin/env bash
# Scores the built extractor on the corpus of real documents, where there is
# one beside the project.
set -euo pipefail
corpus=${DOCLEDGER_CORPUS:-../shared/corpus}
scorer=${DOCLEDGER_SCORER:-../shared/tools/score-extraction}
if [[ ! -f $corpus/expected.json || ! -x $scorer ]]; then
	echo "NOT SCORED: there is no corpus at $corpus; set DOCLEDGER_CORPUS and DOCLEDGER_SCORER to score one"
	exit 0
fi
# The result is not copied through /dev/stderr: opening that again truncates a
# log file.
result=$("$scorer" --wrong "$corpus" -- bin/docledger extract)
printf '%s\n' "$result" >&2
grep -q 'sure_wrong=0 ' <<<"$result"

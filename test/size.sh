#!/usr/bin/env bash
# Prints the size of bin/docledger and fails if it exceeds the limit, so that no dependency or
# embedded file makes the program larger unnoticed. What is large is in the output of
# `go tool nm -size -sort size` for a build without -s.
set -euo pipefail
cd "$(dirname "$0")/.."
limit=$((60 << 20))
size=$(stat -c %s bin/docledger)
awk -v size="$size" -v limit="$limit" 'BEGIN { printf "bin/docledger has %.1f million bytes, at most %.1f are allowed\n", size / 1e6, limit / 1e6 }'
((size <= limit))

#!/usr/bin/env bash
# Makes gen/typescript.
set -euo pipefail
cd "$(dirname "$0")"
bash install.sh
node generate.mjs

#!/usr/bin/env bash
# Generates gen/typescript.
set -euo pipefail
cd "$(dirname "$0")"
bash install.sh
node generate.mjs

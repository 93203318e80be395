#!/usr/bin/env bash
# Type-checks the tests and runs them against bin/sandbox.
set -euo pipefail
cd "$(dirname "$0")"
bash install.sh
npm test --silent

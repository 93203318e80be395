#!/usr/bin/env bash
# Sets the one version of product, API and TypeScript client.
# usage: openapi/set-version.sh X.Y.Z, then make gen
set -euo pipefail
cd "$(dirname "$0")/.."
[[ ${1:-} =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || { echo "usage: openapi/set-version.sh X.Y.Z" >&2; exit 2; }
sed -i "s/^  version: .*/  version: $1/" openapi/{common,backend,integrations,billing,webhooks,toolserver,authserver}.yaml
npm --prefix client/typescript/package version "$1" --no-git-tag-version --allow-same-version >/dev/null
echo "The version is $1. Run make gen and commit."

#!/usr/bin/env bash
# Builds the manifests for Kubernetes with kustomize and validates them against
# the schemas of two versions of Kubernetes, which a Python package contains.
set -euo pipefail
cd "$(dirname "$0")/../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
GOFLAGS='' go run sigs.k8s.io/kustomize/kustomize/v5@v5.7.1 build deploy/kubernetes/base >"$work/all.yaml"
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check 'kubernetes-validate==1.34.1'
for version in 1.30 1.34; do
	"$work/venv/bin/kubernetes-validate" -k "$version" --strict "$work/all.yaml"
done
echo "manifests: $(grep -c '^kind:' "$work/all.yaml") objects are valid"

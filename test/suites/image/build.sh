#!/usr/bin/env bash
# Builds the Dockerfile into the docker archive $1 (default bin/image.tar). It uses
# Docker or Podman if one runs. Otherwise it uses buildah, which needs no engine and
# no registry: the build stage then uses /usr and the Go toolchain of this machine
# instead of the image in the Dockerfile. With an engine, BUILDER can set the builder
# image. The image of a tagged commit is a release: it needs an engine and a BUILDER
# that is pinned by digest, so that it can be built again. SNAPSHOT=1 builds any commit.
set -euo pipefail
cd "$(dirname "$0")/../../.."
archive=${1:-bin/image.tar}
version=${VERSION:-$(sed -n "s/^  version: //p" openapi/common.yaml)}
revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)
name=docledger:latest
release=
[[ ${SNAPSHOT:-} == 1 ]] || release=$(git describe --exact-match --tags 2>/dev/null || true)
if [[ -n $release && ! ${BUILDER:-} =~ @sha256:[0-9a-f]{64}$ ]]; then
	echo "image: the commit has the tag $release; set BUILDER to a builder image with its digest (…@sha256:…), or set SNAPSHOT=1" >&2
	exit 1
fi
mkdir -p "$(dirname "$archive")"
rm -f "$archive"

with_engine() {
	local engine=$1 save=() builder=()
	[[ -n ${BUILDER:-} ]] && builder=(--build-arg "BUILDER=$BUILDER")
	[[ $engine == podman ]] && save=(--format docker-archive)
	echo "image: building with $engine"
	timeout 1800 "$engine" build "${builder[@]}" --build-arg "VERSION=$version" --build-arg "REVISION=$revision" -t "$name" .
	timeout 300 "$engine" save "${save[@]}" -o "$archive" "$name"
}

have_buildah() {
	command -v buildah >/dev/null && return
	[[ $(id -u) == 0 ]] && command -v apt-get >/dev/null || return 1
	echo "image: installing buildah"
	local apt=(timeout 300 apt-get -y -q -o DPkg::Lock::Timeout=120)
	DEBIAN_FRONTEND=noninteractive "${apt[@]}" install --no-install-recommends buildah >/dev/null 2>&1 ||
		{ "${apt[@]}" update >/dev/null && DEBIAN_FRONTEND=noninteractive "${apt[@]}" install --no-install-recommends buildah >/dev/null; }
}

with_buildah() {
	local work
	work=$(mktemp -d)
	# shellcheck disable=SC2064 # expand the folder now
	trap "chmod -R u+rwX '$work'; rm -rf '$work'" EXIT
	local buildah=(timeout 1800 buildah --storage-driver vfs --root "$work/storage" --runroot "$work/run")
	echo "image: building with $(buildah --version), without an engine"
	go mod download
	mkdir -p "$work/base"/{usr,tmp,root,etc/ssl/certs,proc,sys,dev,go/pkg/mod,gocache,toolchain,var}
	local link
	for link in bin sbin lib lib64; do ln -s "usr/$link" "$work/base/$link"; done
	cat >"$work/Base.Dockerfile" <<-'BASE'
		FROM scratch
		COPY base /
		ENV PATH=/toolchain/bin:/usr/bin:/bin HOME=/root GOPATH=/go GOCACHE=/gocache
	BASE
	"${buildah[@]}" bud -q --isolation chroot -f "$work/Base.Dockerfile" -t localhost/build-base "$work" >/dev/null
	"${buildah[@]}" bud --isolation chroot --format docker --build-arg BUILDER=localhost/build-base --build-arg GOPROXY=off \
		--build-arg "VERSION=$version" --build-arg "REVISION=$revision" \
		-v /usr:/usr:ro -v /etc/ssl/certs:/etc/ssl/certs:ro -v "$(go env GOROOT):/toolchain:ro" \
		-v "$(go env GOMODCACHE):/go/pkg/mod" -v "$(go env GOCACHE):/gocache" -t "localhost/$name" .
	"${buildah[@]}" push -q "localhost/$name" "docker-archive:$archive:$name"
}

if docker info >/dev/null 2>&1; then
	with_engine docker
elif podman info >/dev/null 2>&1; then
	with_engine podman
elif [[ -n $release ]]; then
	echo "image: NOT BUILT: the image of the tag $release needs Docker or Podman, because the builder is pinned; or set SNAPSHOT=1" >&2
	exit 1
elif have_buildah; then
	with_buildah
else
	echo "image: NOT BUILT: no container engine runs here, and buildah is neither installed nor can it be (as root: apt-get install buildah)" >&2
	exit 1
fi
echo "image: $archive, $(du -m "$archive" | cut -f1) MB; load it with: docker load -i $archive"

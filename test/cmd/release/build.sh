#!/usr/bin/env bash
# Builds the archives of a release into $1 (default bin/release): docledger and
# docledger-ocr for each platform of PLATFORMS, with the licences, checksums and
# a bill of materials. The commit must have the tag v$VERSION. With SNAPSHOT=1 an
# untagged commit is built too.
set -euo pipefail
cd "$(dirname "$0")/../../.."
out=${1:-bin/release}
version=$(sed -n 's/^  version: //p' openapi/common.yaml)
platforms=${PLATFORMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64}
if [[ $(git describe --exact-match --tags 2>/dev/null) != "v$version" ]]; then
	if [[ ${SNAPSHOT:-} != 1 ]]; then
		echo "release: the commit has no tag v$version; tag it, or set SNAPSHOT=1" >&2
		exit 1
	fi
	version="$version+$(git rev-parse --short HEAD)"
fi
# The time of the commit, so that the same commit gives the same archives.
stamp=$(git log -1 --format=%ct)
rm -rf "$out" && mkdir -p "$out"
out=$(cd "$out" && pwd)
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bin/docledger licenses >"$work/THIRD_PARTY_NOTICES.txt"
for platform in $platforms; do
	os=${platform%/*} arch=${platform#*/}
	name="docledger_${version}_${os}_${arch}"
	mkdir "$work/$name"
	suffix=
	[[ $os == windows ]] && suffix=.exe
	for command in docledger docledger-ocr; do
		CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build -trimpath -tags nomsgpack,grpcnotrace -ldflags "-s -w -X main.version=$version" -o "$work/$name/$command$suffix" "./cmd/$command"
	done
	cp LICENSE README.md "$work/THIRD_PARTY_NOTICES.txt" "$work/$name/"
	find "$work/$name" -exec touch -d "@$stamp" {} +
	if [[ $os == windows ]]; then
		(cd "$work" && python3 "$root/test/cmd/release/zip.py" "$out/$name.zip" "$name" "$stamp")
	else
		tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$stamp" -C "$work" -cf - "$name" | gzip -n >"$out/$name.tar.gz"
	fi
	rm -rf "${work:?}/$name"
	echo "release: $name"
done
cp bin/docledger.cdx.json "$out/docledger_${version}.cdx.json"
(cd "$out" && sha256sum -- * >SHA256SUMS && sha256sum --check --quiet SHA256SUMS)
echo "release: $(wc -l <"$out/SHA256SUMS") files in ${out#"$PWD/"}"

# The product as an image of one static binary, with the program that reads scans
# and the C libraries that it needs, which runs as the user nobody in
# particular on a root that is read-only. `make image` builds it with or without
# an engine.
ARG BUILDER=docker.io/library/golang:1.26-bookworm

FROM ${BUILDER} AS build
ARG GOPROXY
ARG VERSION=dev
ENV CGO_ENABLED=0 GOPROXY=${GOPROXY} GOFLAGS=-buildvcs=false GOTOOLCHAIN=local
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# The web application, unless it was built before. Debian has npm, and npm has a
# Node that is new enough. Without a network the image has no pages, and says so.
RUN [ -f adapter/webapp/dist/index.html ] \
    || { apt-get update -q && apt-get install -y -q --no-install-recommends npm \
        && node=node-linux-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/') \
        && npm install --silent --no-save --prefix /opt/node "$node@22.23.3" \
        && PATH="/opt/node/node_modules/$node/bin:$PATH" bash web/build.sh; } \
    || echo "image: no web application"
RUN go build -trimpath -tags nomsgpack,grpcnotrace -ldflags "-s -w -X main.version=${VERSION}" -o /out/usr/bin/docledger ./cmd/docledger
# What reads scans: the program, the library and models that pip fetches, and
# the C libraries that the library needs. Without pip or a network the image
# reads no scans, and says so.
RUN go build -trimpath -ldflags "-s -w" -o /out/usr/bin/docledger-ocr ./cmd/docledger-ocr \
    && (python3 -c 'import pip' 2>/dev/null || (apt-get update -q && apt-get install -y -q --no-install-recommends python3-pip) || true) \
    && (OCR_DIR=/out/usr/bin/ocr /out/usr/bin/docledger ocr install || echo "image: scans will not be read") \
    && for file in $(ldd /out/usr/bin/docledger-ocr /out/usr/bin/ocr/libonnxruntime.so 2>/dev/null | grep -o '/[^ ]*' | grep -v ':$' | sort -u); do \
        mkdir -p "/out$(dirname "$file")" && cp -L "$file" "/out$file"; done
# What reads the pages of PDFs is compiled here: some seconds that a new
# container need not spend, on machines with the same processor features.
RUN mkdir -p -m 0700 /out/data /out/var/cache/docledger && mkdir -p -m 1777 /out/tmp \
    && COMPILE_CACHE_DIR=/out/var/cache/docledger /out/usr/bin/docledger prewarm \
    && mkdir -p /out/usr/share/doc/docledger && cp LICENSE /out/usr/share/doc/docledger/ \
    && /out/usr/bin/docledger licenses > /out/usr/share/doc/docledger/THIRD_PARTY_NOTICES.txt \
    && for package in libc6 libgcc-s1 libstdc++6 ca-certificates; do \
        if [ -f "/usr/share/doc/$package/copyright" ]; then cp "/usr/share/doc/$package/copyright" "/out/usr/share/doc/docledger/$package.copyright"; fi; done \
    && mkdir -p /out/etc/ssl/certs && cp /etc/ssl/certs/ca-certificates.crt /out/etc/ssl/certs/ \
    && echo 'docledger:x:65532:65532:docledger:/data:/sbin/nologin' > /out/etc/passwd \
    && echo 'docledger:x:65532:' > /out/etc/group \
    && chown -R 65532:65532 /out/data /out/var/cache/docledger

FROM scratch
ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="docledger" \
      org.opencontainers.image.description="Receives invoices, extracts and checks their data, and creates the bills in accounting software." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=build /out /
ENV DATA_DIR=/data COMPILE_CACHE_DIR=/var/cache/docledger LISTEN=:8080 HEALTH_LISTEN=:8080
# Numeric, so that a supervisor can tell that it is not root.
USER 65532:65532
WORKDIR /data
VOLUME ["/data", "/var/cache/docledger"]
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["/usr/bin/docledger", "health"]
ENTRYPOINT ["/usr/bin/docledger"]
CMD ["serve"]

# Everything a contributor runs. `make` alone lists it.
SHELL := /bin/bash
.DEFAULT_GOAL := help
export GOFLAGS := -buildvcs=false

GO       ?= go
PACKAGES := ./...
# The version of the specifications; a build of an untagged commit adds the commit.
VERSION  ?= $(shell sed -n 's/^  version: //p' openapi/common.yaml)$(shell git describe --exact-match --tags >/dev/null 2>&1 || echo +$$(git rev-parse --short HEAD 2>/dev/null || echo unknown))
LDFLAGS  := -s -w -X main.version=$(VERSION)
# Long tests (kills, permutations, models) take their count from here.
FAULTS   ?= 100
WATCHED  ?= 1000
MONTH    ?= 1500
SOAK     ?= 20m
RATE     ?= 5
FUZZTIME ?= 60s

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F':.*## ' '{printf "  %-12s %s\n", $$1, $$2}'

.PHONY: run
run: build ## build and start the sandbox, which needs nothing else; ARGS='--port 0' and others are passed on
	@bin/sandbox --env-file sandbox.env $(ARGS)

.PHONY: web
web: ## build the web application, which is embedded in the binaries (needs node and npm)
	@bash web/build.sh

.PHONY: build
build: ## build bin/docledger, bin/sandbox and bin/docledger-ocr, the web application where node is there, and fetch what reads scans where pip and a network are there
	@mkdir -p bin
	@bash web/build.sh --if-changed
	@CGO_ENABLED=0 $(GO) build -trimpath -tags nomsgpack,grpcnotrace -ldflags '$(LDFLAGS)' -o bin/ ./cmd/docledger ./cmd/sandbox ./cmd/docledger-ocr
	@OCR_DIR= bin/docledger ocr install --if-missing || echo "Scans will not be read. bin/docledger ocr install tries again." >&2

.PHONY: test
test: ## run all tests but attacks and kills; sets up PostgreSQL where the machine has none
	@$(GO) run ./test/lib/postgres/cmd/testpostgres -- bash test/run.sh

.PHONY: test-fast
test-fast: ## run the tests of the packages without the suites over the whole service, within about a minute
	@bash test/run.sh fast

.PHONY: attack
attack: ## attack the service with hostile bodies, connections and images; memory and response times have limits
	@$(GO) run ./test/lib/postgres/cmd/testpostgres -- $(GO) test -count=1 -timeout 15m ./test/suites/attack

.PHONY: recipes
recipes: ## follow the recipes of CONTRIBUTING.md in a copy of the committed files
	@$(GO) run ./test/lib/postgres/cmd/testpostgres -- $(GO) run ./test/cmd/recipes

.PHONY: gen
gen: ## regenerate gen/, openapi/docledger.json and what the programs embed compressed (needs node and npm)
	@$(GO) generate ./openapi ./domain/... ./infrastructure/notices ./adapter/extract/worker ./migrations
	@$(GO) run ./test/suites/docs/configdocs/write
	@bash client/typescript/generate.sh

.PHONY: verify
verify: ## fail on stale generated code, lint findings, unformatted code, untidy modules
	@bash test/verify.sh

.PHONY: fmt
fmt: ## format all Go code
	@gofmt -w $$(git ls-files -co --exclude-standard '*.go' | grep -v '^gen/')

.PHONY: lint
lint: ## vet and staticcheck
	@$(GO) vet $(PACKAGES)
	@$(GO) vet -tags image ./test/suites/image
	@$(GO) tool staticcheck $$($(GO) list $(PACKAGES) | grep -v /gen/)

.PHONY: assistant
assistant: ## do 40 everyday tasks as a scripted assistant; print the calls and the bytes of each, with the goals
	@$(GO) test -count=1 -run TestEverydayTasks ./test/suites/everyday -v

.PHONY: bench
bench: build ## print the speed and memory figures with their goals and their spread over ROUNDS rounds (3); WRITE=1 writes docs/benchmarks.md
	@$(GO) run ./test/cmd/bench

.PHONY: soak
soak: build ## run three replicas for SOAK (20m) with both ledgers, a document store and RATE (5) documents a second; memory, tables and queue have limits
	@DOCLEDGER_SOAK=$(SOAK) DOCLEDGER_SOAK_RATE=$(RATE) $(GO) run ./test/lib/postgres/cmd/testpostgres -- \
		$(GO) test -count=1 -timeout 120m -v -run '^TestSoak$$' ./test/suites/faults

.PHONY: growth
growth: build ## measure how the service slows down with 10,000, 100,000 and ROWS (1,000,000) invoices on both databases, or DATABASE=SQLite or PostgreSQL; WRITE=1 writes the table of docs/benchmarks.md (about half an hour on two cores, 15 GB of disk); MOST=n fails if a row grows more than n times over a factor of ten; KEEP=folder fills a database in the folder once, and prints p50 and p95 of each filter in each order and of each sum, with those above the goals; PAGES=1 measures the pages of the web application instead, with 100,000 invoices or ROWS (needs chromium and npm)
	@if [ -z "$(PAGES)" ]; then $(GO) run ./test/cmd/bench growth; else \
		(cd test/suites/browser && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) && \
		BROWSER=$${BROWSER:-$$(command -v chromium)} $(GO) run ./test/cmd/bench pages; fi

.PHONY: certify
certify: ## drive the simulators with the vendors' own published clients, and validate every exchange against the vendors' definitions (needs node and npm)
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && export DOCLEDGER_DEFINITIONS="$$folder" && \
	for suite in test/cmd/certification test/cmd/certification/identity test/cmd/certification/ledger-* test/cmd/certification/store-* test/cmd/certification/definitions; do \
		$(GO) run ./$$suite || exit 1; \
	done

.PHONY: image
image: ## build the container image into bin/image.tar, with an engine or without, and run what is in it; a tagged commit needs BUILDER=…@sha256:… or SNAPSHOT=1
	@bash web/build.sh
	@VERSION=$(VERSION) BUILDER=$(BUILDER) bash test/suites/image/build.sh bin/image.tar
	@DOCLEDGER_IMAGE=$(CURDIR)/bin/image.tar $(GO) run ./test/lib/postgres/cmd/testpostgres -- $(GO) test -count=1 -timeout 10m -tags image ./test/suites/image

.PHONY: sbom
sbom: build ## write the bill of materials of bin/docledger to bin/docledger.cdx.json (CycloneDX)
	@$(GO) run github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.9.0 bin -json -std -licenses -version $(VERSION) -output bin/docledger.cdx.json bin/docledger
	@$(GO) run ./infrastructure/notices/sbom bin/docledger bin/docledger.cdx.json

.PHONY: release
release: sbom ## build the archives of a tagged release into bin/release; SNAPSHOT=1 builds an untagged commit, PLATFORMS='linux/amd64 …' only these
	@bash test/cmd/release/build.sh bin/release

.PHONY: manifests
manifests: ## build the manifests for Kubernetes and validate them (needs python3)
	@bash test/suites/deploy/manifests.sh

.PHONY: contract
contract: build ## call every operation at least 20 times with success and validate every response against the specification
	@$(GO) run ./test/cmd/contract -sandbox bin/sandbox

.PHONY: changes
changes: ## fail on a breaking change of the API since the last release that CHANGELOG.md does not announce
	@$(GO) run ./test/cmd/apidiff

.PHONY: conformance
conformance: ## run the tool protocol's official suite against the tool server (needs npm)
	@$(GO) run ./test/cmd/conformance

.PHONY: clients
clients: build ## sign in with the tool protocol's published clients and work through tools (needs npm)
	@$(GO) run ./test/cmd/clients

.PHONY: client-test
client-test: build ## pack the TypeScript client and call every operation of the sandbox with it (needs node and npm)
	@bash client/typescript/test.sh

.PHONY: python-test
python-test: build ## generate the Python client, build its wheel and test it and the examples against the sandbox (needs python3)
	@bash client/python/test.sh

.PHONY: browser
browser: build ## use the web application, the pages of the documentation and the TypeScript client in a real browser; PICTURES=1 takes the pictures in docs/ again instead (needs chromium and npm)
	@if [ -z "$(PICTURES)" ]; then bash test/suites/browser/run.sh; else \
		PICTURES=$(CURDIR)/docs/images bash test/suites/browser/run.sh pictures.test.mjs; fi

.PHONY: faults
faults: build ## kill the service FAULTS times over uploads, syncs, webhooks, deletions, erasures, e-mail, folders, mailboxes and WATCHED files of each document store on each database, and make as much trouble for three replicas
	@DOCLEDGER_FAULTS=$(FAULTS) DOCLEDGER_WATCHED=$(WATCHED) $(GO) run ./test/lib/postgres/cmd/testpostgres -- $(GO) test -count=1 -timeout 120m -v ./test/suites/faults

.PHONY: month
month: ## play a month of twelve entities on each database with MONTH documents over every channel, with faults, and check what must hold at its end
	@DOCLEDGER_MONTH=$(MONTH) $(GO) test -count=1 -timeout 30m -v -run TestMonth ./test/suites/month

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME
	@bash test/fuzz.sh $(FUZZTIME)

.PHONY: clean
clean: ## remove what was built
	@rm -rf bin coverage.out

# Everything here needs only Go, git and make; what else it takes is built from Go
# modules into bin/. `make` alone prints what there is.

SHELL        = /usr/bin/env bash -o pipefail
.SHELLFLAGS  = -euc
SEEDS       ?= 10000
FUZZTIME    ?= 30s
COMPONENTS  ?= etcd kube-apiserver
# Test results are shown package by package; the end-to-end tests wait for real time.
# The race detector needs a C compiler.
RACE         = $$(go env CGO_ENABLED | sed 's/1/-race/; s/0//')
UNIT         = $$(go list ./... | grep -v -e /test/e2e -e /test/operator)
SEEDED       = ./pkg/... ./test/sim/...
MODULES     := . hack/controlplane hack/controlplane/etcd hack/controlplane/kubernetes hack/controlplane/kwok hack/tools

.DEFAULT_GOAL := help
.PHONY: help
help: ## Show this help
	@awk 'BEGIN {FS = ":.*## "} \
		/^##@/ {printf "\n%s\n", substr($$0, 5)} \
		/^[a-z0-9-]+:.*## / {printf "  %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

##@ Every day

.PHONY: build
build: ## Compile everything
	go build ./...

.PHONY: test
test: controlplane ## Run all tests, against a real control plane too
	go test -tags invariants -timeout 20m $(UNIT)
	go -C hack/controlplane test ./...
	@if [ "$$(go env CGO_ENABLED)" = 1 ]; then $(MAKE) race; \
		else echo "no C compiler, which the race detector needs: not running make race"; fi
	$(MAKE) model SEEDS=1000
	$(MAKE) e2e

.PHONY: lint
lint: bin/golangci-lint ## Check style, budgets and formatting
	bin/golangci-lint run ./...
	cd hack/controlplane && ../../bin/golangci-lint run ./...

.PHONY: layers
layers: ## Check who imports whom
	go test -count=1 ./internal/layering

##@ Closer looks

.PHONY: race
race: controlplane ## Run the unit tests under the race detector
	go test -race -timeout 20m $(UNIT)

.PHONY: model
model: ## Run the model tests with SEEDS seeds each (10000)
	SEEDS=$(SEEDS) go test -tags invariants -timeout 60m $(SEEDED)

.PHONY: fuzz
fuzz: ## Fuzz every target for FUZZTIME (30s)
	@for pkg in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "== $$pkg $$target"; \
			go test -tags invariants -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$pkg; \
		done; \
	done

.PHONY: e2e
e2e: controlplane ## Run the end-to-end tests alone, telling what they do
	go test -count=1 -v -timeout 20m ./test/e2e/...
	go test -count=1 -v -timeout 20m $(RACE) ./test/operator/...

.PHONY: mutants
mutants: ## Break the code on purpose and see the tests fail
	go run ./hack/mutants

.PHONY: bench
bench: ## Compare with the incumbents, row by row
	go run ./hack/bench -json artifacts/bench.json -md artifacts/bench.md

.PHONY: verify
verify: ## Check that every go.mod is tidy and every download is what was pinned
	@for module in $(MODULES); do \
		echo "== $$module"; \
		go -C $$module mod tidy -diff; \
		go -C $$module mod verify; \
	done

##@ Things that get built

.PHONY: controlplane
controlplane: ## Build COMPONENTS (etcd kube-apiserver) into bin/k8s
	@go -C hack/controlplane run . $(COMPONENTS)

bin/golangci-lint: hack/tools/go.mod hack/tools/go.sum
	@echo "building golangci-lint, takes about two minutes the first time"
	go -C hack/tools build -trimpath -o ../../$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

bin/benchstat: hack/tools/go.mod hack/tools/go.sum
	go -C hack/tools build -trimpath -o ../../$@ golang.org/x/perf/cmd/benchstat

.PHONY: clean
clean: ## Remove what was built
	rm -rf bin artifacts

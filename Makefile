# Everything here needs only Go, git and make; what else it takes is built from Go
# modules into bin/. `make` alone prints what there is.

SHELL        = /usr/bin/env bash -o pipefail
.SHELLFLAGS  = -euc
SEEDS       ?= 10000
FUZZTIME    ?= 30s
MINUTES     ?= 10
N           ?= 20
COMPONENTS  ?= etcd kube-apiserver
CLUSTER      = etcd kube-apiserver kube-controller-manager kube-scheduler kwok kubectl
ONREAL       = ^TestSkippingIsSafeOnARealServer$$
# Modules beside the root module that have tests for make test, and those that the linter reads.
BESIDE      := cmd/kubectl-delta tracing hack/controlplane hack/image hack/kind
LINTED      := $(BESIDE) test/browser
MODULES     := . hack/controlplane hack/controlplane/programs hack/tools hack/tools/krew hack/tools/kubebuilder hack/tools/manifests hack/tools/release hack/tools/site hack/image hack/kind cmd/kubectl-delta test/browser tracing
OPERATOR     = ./examples/sample-operator
MANIFESTS    = crd rbac:roleName=manager-role webhook paths=$(OPERATOR)/... output:crd:artifacts:config=config/crd/bases

# Everything is compiled with the settings of hack/controlplane: without cgo, which the
# race detector alone needs, and without the tables of a debugger. So one command finds
# what another has compiled. The compiler collects its garbage less often than usual,
# which takes a fifth off its time. Tests do not inherit that. go vet is a part of make lint.
PLAIN       := controlplane cluster demo browser demo-page observability test beside lint model realtime bin/golangci-lint bin/benchstat bin/controller-gen bin/kustomize bin/kind bin/hugo bin/k8s/kubectl
TESTS       := test beside race flakes model realtime operator
FLAGS       := $(shell go env GOFLAGS) -gcflags=all=-dwarf=false
$(PLAIN): export CGO_ENABLED = 0
$(PLAIN) $(TESTS): export GOGC = 400
$(PLAIN): export GOFLAGS = $(FLAGS)
$(TESTS): export GOFLAGS = $(FLAGS) -vet=off "-exec=env -u GOGC"

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

.PHONY: run
run: demo ## Run the sample operator in a cluster on this machine, and see why it does what (to its end with ARGS=-once)
	@exec bin/demo $(ARGS)

.PHONY: test
test: controlplane bin/controller-gen bin/kustomize ## Run the tests that need no real time, against a real API server too
	go test -tags invariants -timeout 20m $$(hack/packages test)
	$(MAKE) beside

.PHONY: lint
lint: bin/golangci-lint ## Check style, budgets and formatting
	bin/golangci-lint run --allow-parallel-runners ./...
	@for module in $(LINTED); do echo "== $$module"; (cd $$module && "$(CURDIR)/bin/golangci-lint" run --allow-parallel-runners ./...) || exit; done

.PHONY: race
race: controlplane bin/kustomize ## Run the packages that have goroutines under the race detector, which needs a C compiler
	go test -race -timeout 20m -exec $(CURDIR)/hack/raced $$(hack/packages race)

.PHONY: test-all
test-all: ## Run all tests that there are, for more than an hour, and end with a table of the suites
	@hack/test-all

.PHONY: layers
layers: ## Check who imports whom
	go test -count=1 ./test/layering

.PHONY: kubectl-delta
kubectl-delta: ## Build the plugin of kubectl that asks operators what they do
	CGO_ENABLED=0 go -C cmd/kubectl-delta build -o ../../bin/kubectl-delta .

##@ Closer looks

.PHONY: flakes
flakes: controlplane bin/controller-gen bin/kustomize ## Run the tests of the gate N (20) times on a busy machine, and count what fails
	@hack/flakes $(N)

.PHONY: beside
beside: ## Run the tests of the modules beside the root module alone (the slow ones too with TAGS=slow)
	@for module in $(BESIDE); do echo "== $$module"; go -C $$module test -tags "$(TAGS)" ./... || exit; done

.PHONY: model
model: cluster bin/controller-gen bin/kustomize ## Run the model tests with SEEDS seeds each (10000), and the slow tests beside them
	SEEDS=$(SEEDS) go test -tags "invariants slow" -timeout 60m -skip '$(ONREAL)' $$(hack/packages test)

.PHONY: skip
skip: ## Play SEEDS random worlds (10000) in which operators skip work, and judge each skip
	SEEDS=$(SEEDS) go -C test/skip test -count=1 -tags invariants -timeout 120m -run '^TestSkippingIsSafe(AcrossRestarts)?$$'

.PHONY: skip-real
skip-real: controlplane ## The same on a real API server, for MINUTES (10)
	SKIP_MINUTES=$(MINUTES) go -C test/skip test -count=1 -tags slow -timeout 600m -run '$(ONREAL)'

.PHONY: fuzz
fuzz: ## Fuzz every target for FUZZTIME (30s)
	@for pkg in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "== $$pkg $$target"; \
			go test -tags invariants -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$pkg; \
		done; \
	done

# A suite is a package that waits for real time. Its tests say what they do.
.PHONY: realtime
realtime: cluster bin/controller-gen bin/kustomize ## Run SUITE alone, such as ./test/e2e
	go test -count=1 -v -timeout 40m $(SUITE)

.PHONY: operator
operator: controlplane ## Run whole operators against a real API server, under the race detector
	go test -race -count=1 -v -timeout 40m ./test/operator

# axe-core knows the rules of accessibility. It is not ours to distribute.
AXE          = 4.14.1
bin/axe-core/axe.min.js:
	@command -v npm >/dev/null || { echo "make browser needs npm, to get axe-core $(AXE) from its registry" >&2; exit 1; }
	mkdir -p bin/axe-core
	cd bin/axe-core && npm pack --silent axe-core@$(AXE) && tar xzf axe-core-$(AXE).tgz --strip-components=1 package/axe.min.js package/LICENSE

.PHONY: browser
browser: controlplane bin/kustomize bin/axe-core/axe.min.js ## Look at the inspector's page with chromium, and leave screenshots in artifacts/page
	go -C test/browser test -count=1 -v -timeout 20m ./...

.PHONY: demo-page
demo-page: controlplane bin/kustomize ## Record the sample operator once, and write docs/demo, with chromium
	go -C test/browser test -tags demopage -count=1 -v -timeout 20m -run '^TestMakeTheDemoPage$$' ./...

# The generator is built without what puts a site onto a cloud.
bin/hugo: hack/tools/site/go.mod hack/tools/site/go.sum
	go -C hack/tools/site build -tags nodeploy -o ../../../$@ github.com/gohugoio/hugo

.PHONY: docs
docs: bin/hugo ## Build the documentation as a site in artifacts/site, and follow its links
	hack/site/build
	go test -tags site -count=1 ./test/docs

.PHONY: observability
observability: controlplane bin/kustomize ## Check alert rules and the dashboard with Prometheus itself, and look at an outage
	go test -tags observability -count=1 -v -timeout 15m ./test/prometheus

.PHONY: mutants
mutants: controlplane ## Break the code on purpose and see the tests fail
	go run ./hack/mutants

.PHONY: bench
bench: ## Compare with the incumbents, row by row
	go run ./hack/bench

.PHONY: bench-report
bench-report: ## Compare, and write docs/benchmarks.md
	go run ./hack/bench -report docs/benchmarks.md

.PHONY: verify
verify: ## Check that every go.mod is tidy and every download is what was pinned
	@for module in $(MODULES); do \
		echo "== $$module"; \
		go -C $$module mod tidy -diff; \
		go -C $$module mod verify; \
	done

.PHONY: release
release: ## Make everything that the release VERSION consists of in artifacts/release, and tag it
	hack/release "$(VERSION)"

.PHONY: next
next: ## Build and test a copy with controller-runtime CR and client-go CLIENTGO, and say what broke
	hack/next "$(CR)" "$(CLIENTGO)"

##@ Things that get built

# That program is compiled first, which takes some seconds.
bin/k8s:
	@echo "compiling the program that builds all others"
	@mkdir -p bin/k8s

.PHONY: controlplane
controlplane: | bin/k8s ## Build COMPONENTS (etcd kube-apiserver) into bin/k8s
	@go -C hack/controlplane run . $(COMPONENTS)

.PHONY: cluster
cluster: | bin/k8s ## Build all that a cluster consists of, and kubectl, into bin/k8s
	@go -C hack/controlplane run . $(CLUSTER)

.PHONY: demo
demo: cluster ## Build what make run starts
	@echo "building bin/demo and bin/sample-operator"
	@go build -buildvcs=false -ldflags "-s -w" -o bin/ ./hack/demo $(OPERATOR)

bin/golangci-lint: hack/tools/go.mod hack/tools/go.sum
	@echo "building golangci-lint, which is a lot to compile the first time"
	go -C hack/tools build -o ../../$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

bin/benchstat: hack/tools/go.mod hack/tools/go.sum
	go -C hack/tools build -o ../../$@ golang.org/x/perf/cmd/benchstat

# What the sample operator's manifests are made with.
bin/controller-gen: hack/tools/manifests/go.mod hack/tools/manifests/go.sum
	go -C hack/tools/manifests build -o ../../../$@ sigs.k8s.io/controller-tools/cmd/controller-gen

bin/kustomize: hack/tools/manifests/go.mod hack/tools/manifests/go.sum
	go -C hack/tools/manifests build -o ../../../$@ sigs.k8s.io/kustomize/kustomize/v5

bin/cyclonedx-gomod: hack/tools/release/go.mod hack/tools/release/go.sum
	go -C hack/tools/release build -o ../../../$@ github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod

bin/helm: hack/tools/release/go.mod hack/tools/release/go.sum
	go -C hack/tools/release build -o ../../../$@ helm.sh/helm/v4/cmd/helm

bin/krew bin/validate-krew-manifest: hack/tools/krew/go.mod hack/tools/krew/go.sum
	go -C hack/tools/krew build -o ../../../$@ sigs.k8s.io/krew/cmd/$(@F)

.PHONY: generate
generate: bin/controller-gen ## Generate the sample operator's deep copies
	bin/controller-gen object paths=$(OPERATOR)/...

.PHONY: manifests
manifests: bin/controller-gen ## Generate its CRD, roles and webhooks into config
	bin/controller-gen $(MANIFESTS)

.PHONY: clean
clean: ## Remove what was built
	rm -rf bin artifacts

##@ The sample operator in a cluster

# An image without a tag would be :latest, which a kubelet always pulls from a registry.
IMG         ?= sample-operator:dev
PLATFORMS   ?= linux/amd64,linux/arm64
KUBECTL     ?= $(or $(shell command -v kubectl),bin/k8s/kubectl)
# The kubectl that is needed first, if it is the one that is built here.
KUBECTLDEP   = $(filter bin/k8s/kubectl,$(KUBECTL))
# Sites have finalizers: they go while the operator is there to let them.
DELETESITES  = if $(KUBECTL) get crd sites.web.example.com >/dev/null 2>&1; then \
		$(KUBECTL) delete sites.web.example.com --all --all-namespaces --timeout 2m; fi

.PHONY: image
image: ## Pack it as IMG (sample-operator:dev), for PLATFORMS
	go -C hack/image run . -name "$(IMG)" -platforms "$(PLATFORMS)"

.PHONY: install
install: bin/kustomize $(KUBECTLDEP) ## Let the cluster know the kind Site
	bin/kustomize build config/crd | $(KUBECTL) apply -f -

.PHONY: uninstall
uninstall: bin/kustomize $(KUBECTLDEP) ## Make the cluster forget it, and all Sites
	$(DELETESITES)
	bin/kustomize build config/crd | $(KUBECTL) delete --ignore-not-found -f -

.PHONY: deploy
deploy: bin/kustomize $(KUBECTLDEP) ## Run IMG in the cluster that kubectl is set to
	go run ./hack/webhookcert -o artifacts/deploy
	cd artifacts/deploy && ../../bin/kustomize edit set image "controller=$(IMG)"
	bin/kustomize build artifacts/deploy | $(KUBECTL) apply -f -

.PHONY: undeploy
undeploy: bin/kustomize $(KUBECTLDEP) ## Take it out of there, with all Sites
	$(DELETESITES)
	bin/kustomize build config/default | $(KUBECTL) delete --ignore-not-found -f -

.PHONY: kind-up
kind-up: ## Make a cluster of containers and deploy there
	KUBECTL="$(KUBECTL)" hack/kind/up.sh

.PHONY: kind-e2e
kind-e2e: ## Run the operator's end-to-end tests there
	hack/kind/e2e.sh

.PHONY: kind-down
kind-down: ## Take that cluster away
	hack/kind/down.sh

bin/kind: hack/kind/go.mod hack/kind/go.sum
	go -C hack/kind build -o ../../$@ sigs.k8s.io/kind

bin/k8s/kubectl: | bin/k8s
	@go -C hack/controlplane run . kubectl

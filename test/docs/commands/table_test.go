package commands

// place is a file that runs a command, and the text in it that does so.
type place struct{ file, text string }

// places has the commands that are not run here, because something else runs them. A new
// command that can't be run here gets a line.
var places = map[string]place{
	"make test":                             {".ci/run", "\nmake test\n"},
	"make race":                             {".ci/run", "\tmake race\n"},
	"make test-all":                         {".github/workflows/nightly.yaml", "run: make test-all\n"},
	"make lint":                             {".ci/run", "\nmake lint\n"},
	"make run":                              {"hack/demo/process_test.go", `startDemo(t, "-once")`},
	"make controlplane":                     {"Makefile", "\n\t@go -C hack/controlplane run . $(CLUSTER)\n"},
	"make cluster":                          {"Makefile", "\nrealtime: cluster "},
	"make bench-report":                     {"hack/bench/page_test.go", "func TestPublishedPageIsItsRun("}, // it takes more than a quarter of an hour
	"make kubectl-delta":                    {"test/sampleoperator/inspector_test.go", `"cmd/kubectl-delta", "build"`},
	"kubectl delta top":                     {"test/sampleoperator/inspector_test.go", `{"reader", "top", `},
	"make observability":                    {"Makefile", "\n\tgo test -tags observability "},            // it needs a Prometheus, which only some machines have
	"make demo-page":                        {"Makefile", "\n\tgo -C test/browser test -tags demopage "}, // it needs chromium
	"make docs":                             {"hack/test-all", "docs make docs"},                         // it builds the site's generator first
	"make image":                            {"test/sampleoperator/main_test.go", `"hack/image", "run", "."`},
	"make next CR=v0.25.0 CLIENTGO=v0.37.2": {"Makefile", "\n\thack/next "},                                    // it takes as long as make test
	"make release":                          {"test/release/release_test.go", `"make", "release", "VERSION="`}, // it takes minutes
	"make generate":                         {"examples/sample-operator/generated_test.go", `"controller-gen"`},
	"make manifests":                        {"examples/sample-operator/generated_test.go", `"controller-gen"`},
	"make deploy":                           {"test/sampleoperator/deploy_test.go", `run("deploy"`},
	"make undeploy":                         {"test/sampleoperator/deploy_test.go", `run("undeploy"`},
	"make kind-up":                          {"hack/kind/scripts_test.go", `w.run(t, "up.sh"`},
	"make flakes":                           {"Makefile", "\n\t@hack/flakes $(N)\n"}, // it takes an hour
	"make model":                            {"hack/test-all", "make model SEEDS="},
	"go test ./...":                         {"Makefile", "\n\tgo test -tags invariants -timeout 20m $$(hack/packages test)\n"},
	"go mod tidy":                           {"test/docs/adopt/project_test.go", `p.told("go mod tidy")`},

	"curl 'http://127.0.0.1:8082/delta/v1/why?kind=guestbook&namespace=default&name=web'":        {"test/docs/adopt/scaffold_test.go", `page(ctx, why)`},
	"git submodule add https://github.com/delta-runtime/delta-runtime third_party/delta-runtime": {"test/docs/adopt/scaffold_test.go", `p.follow(followed[0])`},
	"go mod edit -require github.com/delta-runtime/delta-runtime@v0.0.0 -replace github.com/delta-runtime/delta-runtime=./third_party/delta-runtime": {
		"test/docs/adopt/project_test.go", `p.told("go mod edit -require ")`,
	},
	"go -C third_party/delta-runtime run ./cmd/delta-adopt ../..":                                                     {"test/docs/adopt/scaffold_test.go", `p.follow(followed[1])`},
	"go -C third_party/delta-runtime build -o ~/.config/kubebuilder/plugins/delta.dev/v1/delta.dev ./cmd/delta-adopt": {"test/docs/adopt/scaffold_test.go", `p.follow(asPlugin)`},
	"kubebuilder edit --plugins=delta.dev/v1":                                                                         {"test/docs/adopt/scaffold_test.go", `p.follow(asPlugin)`},
	"git grep -n delta-runtime/delta-runtime":                                                                         {"test/docs/adopt/scaffold_test.go", `p.follow(followed[2])`},
	"go -C third_party/delta-runtime run ./cmd/delta-adopt --undo ../..":                                              {"test/docs/adopt/scaffold_test.go", `p.follow(followed[2])`},
	"go mod edit -dropreplace github.com/delta-runtime/delta-runtime":                                                 {"test/docs/adopt/project_test.go", `p.told("go mod edit -dropreplace ")`},
	"git rm -f third_party/delta-runtime":                                                                             {"test/docs/adopt/scaffold_test.go", `p.follow(followed[2])`},
}

// shorter has the commands that are run instead of commands that take long. Targets of make
// are run as they are written here.
var shorter = map[string]string{
	"make verify": "make verify MODULES=.",

	// Other rows fill queues with a million timers.
	"go test -run xxx -bench Row2 ./pkg/queue/ctrlqueue": "go test -run xxx -bench 'Row2[24]' ./pkg/queue/ctrlqueue",
}

// fewer has additional arguments for programs of ours that would take long.
var fewer = map[string]string{
	"./hack/bench":   "-rounds 1 -size 100 -rows 7",
	"./hack/mutants": "-only 'What a reconciler failed with is forgotten'",
}

// settings replace those that a command sets.
var settings = map[string]string{
	"BENCH_SIZE":     "100",
	"RESYNC_OBJECTS": "2000",
	"SEEDS":          "10",
}

package layering

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

const module = "github.com/delta-runtime/delta-runtime"

func TestTheModuleKeepsToTheTable(t *testing.T) {
	root := filepath.Join("..", "..")
	content, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil || !strings.HasPrefix(string(content), "module "+module+"\n") {
		t.Fatalf("%s is not the root of the module (error %v)", root, err)
	}
	problems, err := check(os.DirFS(root), module, table)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Error(problem)
	}
}

// TestTheTableHasNoCircles keeps the table itself honest: arrows point one way.
func TestTheTableHasNoCircles(t *testing.T) {
	var visit func(pkg string, above []string)
	visit = func(pkg string, above []string) {
		for i, seen := range above {
			if seen == pkg {
				t.Fatalf("the table has a circle: %s", strings.Join(append(above[i:], pkg), " → "))
			}
		}
		for _, next := range table[pkg].ours {
			if _, known := table[next]; !known {
				t.Errorf("%s may import %s, which is not in the table", pkg, next)
			}
			visit(next, append(above, pkg))
		}
	}
	for pkg := range table {
		visit(pkg, nil)
	}
}

func TestCheckerFindsEachBreach(t *testing.T) {
	rules := map[string]rule{
		"pkg/low":                 {theirs: in("k8s.io/apimachinery")},
		"pkg/high":                {ours: in("pkg/low"), theirs: edge, except: aboveUs},
		"pkg/util":                {},
		"internal/base/lifecycle": {},
	}
	for _, c := range []struct {
		name, file, source string
		want               string // part of the one problem; empty if all is well
	}{
		{"allowed import", "pkg/high/a.go", `package high; import (_ "fmt"; _ "` + module + `/pkg/low"; _ "k8s.io/client-go/rest")`, ""},
		{"import against the arrow", "pkg/low/a.go", `package low; import "` + module + `/pkg/high"`, "pkg/low/a.go:1:21: pkg/low must not import pkg/high"},
		{"foreign import", "pkg/low/a.go", `package low; import "k8s.io/client-go/rest"`, "pkg/low must not import k8s.io/client-go/rest"},
		{"a name that only begins alike", "pkg/low/a.go", `package low; import "k8s.io/apimachinery2/x"`, "must not import k8s.io/apimachinery2/x"},
		{"excepted import", "pkg/high/a.go", `package high; import "sigs.k8s.io/controller-runtime/pkg/controller"`, "must not import sigs.k8s.io/controller-runtime/pkg/controller"},
		{"allowed again", "pkg/high/a.go", `package high; import "sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"`, ""},
		{"other build", "pkg/low/a_windows.go", "//go:build windows\n\npackage low; import \"k8s.io/client-go/rest\"", "must not import k8s.io/client-go/rest"},
		{"test file", "pkg/low/a_test.go", `package low; import "k8s.io/client-go/rest"`, ""},
		{"unknown package", "pkg/new/a.go", `package new_`, "pkg/new: is not in the import table"},
		{"unknown package with tests only", "pkg/new/a_test.go", `package new_`, "pkg/new: is not in the import table"},
		{"go statement", "pkg/low/a.go", `package low; func f() { if true { go f() } }`, "pkg/low/a.go:1:35: go statement outside internal/base/lifecycle"},
		{"go statement in a test", "pkg/low/a_test.go", `package low; func f() { go f() }`, ""},
		{"go statement at home", "internal/base/lifecycle/a.go", `package lifecycle; func f() { go f() }`, ""},
		{"folder with a meaningless name", "pkg/util/a.go", `package strings`, "package name util says nothing"},
		{"package with a meaningless name", "pkg/low/a_test.go", `package types_test`, "package name types says nothing"},
		{"testdata", "pkg/low/testdata/a.go", `package common`, ""},
		{"another module", "hack/other/a.go", `package common`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := fstest.MapFS{
				"go.mod":            {Data: []byte("module " + module)},
				"hack/other/go.mod": {Data: []byte("module other")},
				c.file:              {Data: []byte(c.source)},
			}
			problems, err := check(tree, module, rules)
			switch {
			case err != nil:
				t.Fatal(err)
			case c.want == "" && len(problems) > 0:
				t.Errorf("found %q in good code", problems)
			case c.want != "" && (len(problems) != 1 || !strings.Contains(problems[0], c.want)):
				t.Errorf("found %q, want one problem with %q", problems, c.want)
			}
		})
	}
}

func TestCheckerRefusesWhatDoesNotParse(t *testing.T) {
	tree := fstest.MapFS{"pkg/low/a.go": {Data: []byte("package")}}
	if _, err := check(tree, module, nil); err == nil {
		t.Error("a file that does not parse was taken for a good one")
	}
}

package layering

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// unused returns what the table allows and nobody does: who reads it takes it for how
// things are. A package need not use all that an edge package may know, but some of
// it; and each part of that has to be of use to somebody.
func unused(tree fs.FS, module string, table map[string]rule, edge []string) ([]string, error) {
	c, err := look(tree, module, table)
	if err != nil {
		return nil, err
	}
	c.problems = nil // those are what check is for
	known := map[string]bool{}
	for pkg, allowed := range table {
		imports, exists := c.imports[pkg]
		if !exists {
			c.report(pkg, "is in the import table and does not exist")
			continue
		}
		for _, path := range allowed.ours {
			if !imports[module+"/"+path] {
				c.report(pkg, "may import %s and does not", path)
			}
		}
		c.unusedTheirs(pkg, allowed, edge, known)
	}
	for _, path := range edge {
		if !known[path] {
			c.report("edge", "nobody imports %s", path)
		}
	}
	return c.found(), nil
}

// unusedTheirs is unused for the packages of others that one package may import. It
// notes in known which parts of the edge it uses.
func (c *checker) unusedTheirs(pkg string, allowed rule, edge []string, known map[string]bool) {
	atEdge, usesEdge := false, false
	for _, path := range allowed.theirs {
		used := slices.ContainsFunc(slices.Collect(maps.Keys(c.imports[pkg])), func(target string) bool {
			return covers([]string{path}, target)
		})
		switch {
		case slices.Contains(edge, path):
			atEdge, usesEdge = true, usesEdge || used
			known[path] = known[path] || used
		case !used:
			c.report(pkg, "may import %s and does not", path)
		}
	}
	if atEdge && !usesEdge {
		c.report(pkg, "is an edge package and imports nothing that only such a one may")
	}
}

func TestTheTableAllowsWhatIsUsed(t *testing.T) {
	problems, err := unused(os.DirFS(filepath.Join("..", "..")), module, table, edge)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Errorf("%s: take that out of test/layering/table_test.go and of ARCHITECTURE.md", problem)
	}
}

func TestEachUnusedPermissionIsFound(t *testing.T) {
	const used = `package high; import (_ "k8s.io/client-go/rest"; _ "example.org/x/y"; _ "` + module + `/pkg/low")`
	outside := in("k8s.io/client-go", "k8s.io/klog")
	for name, c := range map[string]struct {
		high rule
		edge []string
		want string // all of it; empty if all is well
	}{
		"all of it is used":         {rule{ours: in("pkg/low"), theirs: in("example.org/x", "k8s.io/client-go")}, nil, ""},
		"one of ours is not":        {rule{ours: in("pkg/low", "pkg/lower")}, nil, "pkg/high: may import pkg/lower and does not"},
		"one of others' is not":     {rule{theirs: in("example.org/x", "example.org/z")}, nil, "pkg/high: may import example.org/z and does not"},
		"only a test uses it":       {rule{theirs: in("example.org/test")}, nil, "pkg/high: may import example.org/test and does not"},
		"part of the edge is not":   {rule{theirs: outside}, outside, "edge: nobody imports k8s.io/klog"},
		"nothing of the edge is":    {rule{theirs: in("k8s.io/klog")}, in("k8s.io/klog"), "edge: nobody imports k8s.io/klog; pkg/high: is an edge package and imports nothing that only such a one may"},
		"what is not allowed is no": {rule{}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tree := fstest.MapFS{
				"pkg/high/a.go":      {Data: []byte(used)},
				"pkg/high/a_test.go": {Data: []byte(`package high; import "example.org/test"`)},
				"pkg/lower/a.go":     {Data: []byte(`package lower`)},
			}
			problems, err := unused(tree, module, map[string]rule{"pkg/high": c.high, "pkg/lower": {}}, c.edge)
			if got := strings.Join(problems, "; "); err != nil || got != c.want {
				t.Errorf("found %q (error %v), want %q", got, err, c.want)
			}
		})
	}
	problems, err := unused(fstest.MapFS{}, module, map[string]rule{"pkg/planned": {}}, nil)
	if err != nil || len(problems) != 1 || problems[0] != "pkg/planned: is in the import table and does not exist" {
		t.Errorf("of a package that is not there is said %q (error %v)", problems, err)
	}
}

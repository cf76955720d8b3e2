package lock

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/sources"
)

// uses are the fields of each rank, as "package.Type.field".
type uses map[string][]string

// TestEachRankIsOfOneLock compares what the comments in order.go say with the fields there
// are.
func TestEachRankIsOfOneLock(t *testing.T) {
	found := uses{}
	for _, folder := range []string{"pkg", "internal"} {
		found.walk(t, folder)
	}
	said := documented(t)
	for rank, field := range said {
		if fields := found[rank]; !slices.Equal(fields, []string{field}) {
			t.Errorf("%s is said to be of %s, and is of %q", rank, field, fields)
		}
	}
	for rank, fields := range found {
		if said[rank] == "" {
			t.Errorf("%q have the rank %s, which order.go does not have", fields, rank)
		}
	}
}

// TestTheOrderHasEachRankOnce compares the ranks with the list.
func TestTheOrderHasEachRankOnce(t *testing.T) {
	left := documented(t)
	for _, line := range order {
		for _, marker := range line {
			rank := reflect.TypeOf(marker).Name()
			if left[rank] == "" {
				t.Errorf("the order has %s twice, or its comment does not name a lock", rank)
			}
			delete(left, rank)
		}
	}
	for rank := range left {
		t.Errorf("%s is not in the order", rank)
	}
}

// documented returns the field that the comment of each rank names.
func documented(t *testing.T) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "order.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok {
			field, _, _ := strings.Cut(strings.TrimPrefix(spec.Doc.Text(), spec.Name.Name+" is "), ": ")
			said[spec.Name.Name] = field
		}
		return true
	})
	if len(said) == 0 {
		t.Fatal("order.go has no ranks")
	}
	return said
}

// walk reads the files of a folder that users run.
func (u uses) walk(t *testing.T, folder string) {
	t.Helper()
	err := sources.Production(os.DirFS("../../.."), folder, func(name string, source []byte) error {
		if dir := path.Dir(name); dir != "internal/base/lock" && !strings.HasPrefix(dir, "internal/testing/") {
			u.file(t, name, source)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// file notes the fields of one file that have a rank, and complains of other locks.
func (u uses) file(t *testing.T, name string, source []byte) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	asField := map[ast.Node]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			if of, ok := n.Type.(*ast.StructType); ok {
				u.fields(file.Name.Name+"."+n.Name.Name, of, asField)
			}
		case *ast.SelectorExpr:
			switch selected(n) {
			case "sync.Mutex", "sync.RWMutex":
				t.Errorf("%s: a lock without a rank: use lock.Mutex", files.Position(n.Pos()))
			case "lock.Mutex":
				if !asField[n] {
					t.Errorf("%s: only a field of a named struct can have a rank", files.Position(n.Pos()))
				}
			}
		}
		return true
	})
}

func (u uses) fields(owner string, of *ast.StructType, asField map[ast.Node]bool) {
	for _, f := range of.Fields.List {
		typ, ok := f.Type.(*ast.IndexExpr)
		if !ok || selected(typ.X) != "lock.Mutex" {
			continue
		}
		asField[typ.X] = true
		rank := strings.TrimPrefix(selected(typ.Index), "lock.")
		for _, name := range f.Names {
			u[rank] = append(u[rank], owner+"."+name.Name)
		}
	}
}

// selected returns an expression such as sync.Mutex as text; empty if it is none.
func selected(e ast.Expr) string {
	s, ok := e.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if from, ok := s.X.(*ast.Ident); ok {
		return from.Name + "." + s.Sel.Name
	}
	return ""
}

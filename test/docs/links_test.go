package docs

import (
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/delta-runtime/delta-runtime/internal/testing/sources"
)

// own is how the import paths of this module begin.
const own = "github.com/delta-runtime/delta-runtime/"

// docLink is a reference in a comment, such as [symbols.has] or [sources.All]. Text of other
// meaning, such as an index or a link of Markdown, has something beside its brackets.
var docLink = regexp.MustCompile(`(?:^|[\s(])\[\*?((?:[a-z]\w*\.)?[A-Z]\w*(?:\.\w+)?)\](?:[\s.,;:)']|$)`)

// TestCommentsReferToWhatExists looks up the references in all comments. go doc shows one that
// leads nowhere as it is written, and its reader looks for something that has another name now.
func TestCommentsReferToWhatExists(t *testing.T) {
	dead, err := deadLinks(os.DirFS(root))
	must(t, err)
	for _, link := range dead {
		t.Error(link)
	}
}

func TestDeadLinksAreFound(t *testing.T) {
	tree := fstest.MapFS{
		"pkg/a/a.go": {Data: []byte(`package a

import "io"

// A is read by [A.Read], [B], [b.C], [b.C.D] and [io.Reader]; [A.Gone], [Gone], [b.Gone] and [c.Gone] are dead.
type A struct{ Embedded }

// B has an index, as in list[Gone], and a [Gone](link.md).
const B = 1

func (A) Read() { _ = io.EOF }

type Embedded struct{}
`)},
		"pkg/b/b.go": {Data: []byte("package b\n\ntype C struct{ D int }\n")},
	}
	dead, err := deadLinks(tree)
	if want := []string{"pkg/a/a.go: [Gone]", "pkg/a/a.go: [b.Gone]", "pkg/a/a.go: [c.Gone]"}; err != nil || !slices.Equal(dead, want) {
		t.Errorf("found %q (error %v), want %q: what is embedded may have the others", dead, err, want)
	}
}

// symbols are the names that a folder declares: "Cache", and "Cache.Get" for methods and
// fields. "Cache.*" says that a type embeds something, which may have any name.
type symbols map[string]bool

func deadLinks(tree fs.FS) (dead []string, err error) {
	folders, named := map[string]symbols{}, map[string]symbols{}
	files := map[string]*ast.File{}
	err = sources.All(tree, ".", func(name string, source []byte) error {
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder := path.Dir(name)
		if folders[folder] == nil {
			folders[folder] = symbols{}
		}
		if named[file.Name.Name] == nil {
			named[file.Name.Name] = symbols{}
		}
		files[name] = file
		folders[folder].add(file)
		named[file.Name.Name].add(file)
		return nil
	})
	for name, file := range files {
		for _, link := range links(file) {
			pkg, symbol, _ := strings.Cut(link, ".")
			if !folders[path.Dir(name)].has(link) && !named[pkg].has(symbol) && !importsForeign(file, pkg) {
				dead = append(dead, name+": ["+link+"]")
			}
		}
	}
	slices.Sort(dead)
	return dead, err
}

// links returns the references in the comments of a file.
func links(file *ast.File) (all []string) {
	for _, comment := range file.Comments {
		for _, m := range docLink.FindAllStringSubmatch(comment.Text(), -1) {
			all = append(all, m[1])
		}
	}
	return all
}

// importsForeign reports whether a file imports a package of that name from elsewhere.
func importsForeign(file *ast.File, name string) bool {
	return slices.ContainsFunc(file.Imports, func(spec *ast.ImportSpec) bool {
		target := strings.Trim(spec.Path.Value, `"`)
		called := path.Base(target) == name || spec.Name != nil && spec.Name.Name == name
		return called && !strings.HasPrefix(target, own)
	})
}

func (s symbols) has(name string) bool {
	owner, _, isMember := strings.Cut(name, ".")
	return s[name] || isMember && s[owner+".*"]
}

func (s symbols) add(file *ast.File) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				s[d.Name.Name] = true
			} else {
				s[base(d.Recv.List[0].Type)+"."+d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				s.spec(spec)
			}
		}
	}
}

func (s symbols) spec(spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			s[name.Name] = true
		}
	case *ast.TypeSpec:
		s[spec.Name.Name] = true
		var fields *ast.FieldList
		switch of := spec.Type.(type) {
		case *ast.StructType:
			fields = of.Fields
		case *ast.InterfaceType:
			fields = of.Methods
		default: // its methods are those of another type
			s[spec.Name.Name+".*"] = true
			return
		}
		for _, field := range fields.List {
			for _, name := range field.Names {
				s[spec.Name.Name+"."+name.Name] = true
			}
			if field.Names == nil {
				s[spec.Name.Name+".*"] = true
			}
		}
	}
}

// base is the name of the type of a receiver.
func base(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return base(e.X)
	case *ast.IndexExpr:
		return base(e.X)
	case *ast.IndexListExpr:
		return base(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// code matches lines that look like Go, and not like an item of a list.
var code = regexp.MustCompile(`:=|[{(]$|^[})]`)

// TestDocCommentsHaveNoCodeInLists looks for code that gofmt has taken for a list. The lines
// of a diff begin like the items of a list. In a list all of them get the same bullet, so
// readers can't tell added lines from removed ones. To prevent that, a diff has to begin with
// an unchanged line.
func TestDocCommentsHaveNoCodeInLists(t *testing.T) {
	err := sources.All(os.DirFS(root), ".", func(name string, source []byte) error {
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, source, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, group := range file.Comments {
			for _, item := range listed(group) {
				if code.MatchString(item) {
					t.Errorf("%s: a list has code in it: %s", files.Position(group.Pos()), item)
				}
			}
		}
		return nil
	})
	must(t, err)
}

// listed are the lines of all lists in a comment.
func listed(group *ast.CommentGroup) (lines []string) {
	for _, block := range new(comment.Parser).Parse(group.Text()).Content {
		list, ok := block.(*comment.List)
		if !ok {
			continue
		}
		for _, item := range list.Items {
			var printer comment.Printer
			text := printer.Text(&comment.Doc{Content: item.Content})
			lines = append(lines, strings.Split(strings.TrimSpace(string(text)), "\n")...)
		}
	}
	return lines
}

package main

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// The packages of controller-runtime that are looked for.
const (
	ctrlPath    = "sigs.k8s.io/controller-runtime"
	managerPath = ctrlPath + "/pkg/manager"
	builderPath = ctrlPath + "/pkg/builder"
)

// source is a Go file, and what is to be changed in it.
type source struct {
	name  string
	text  string
	files *token.FileSet
	file  *ast.File
	edits []edit
	added []string // import specs
	found *findings
}

// edit replaces text[from:to].
type edit struct {
	from, to int
	with     string
}

func parse(name, text string) (*source, error) {
	s := &source{name: name, text: text, files: token.NewFileSet()}
	var err error
	s.file, err = parser.ParseFile(s.files, name, text, parser.ParseComments)
	return s, err
}

// onlyControllers has the managers stay as they are.
const onlyControllers = "only controllers"

// findings are what the sources have.
type findings struct {
	changed  contents
	managers int      // that are changed
	left     []string // that are left alone, and what to do there by hand
}

// editSources returns the files that change. It is an error if none of them makes a manager, unless it is told to look for controllers alone.
func editSources(sources contents, inspector string) (*findings, error) {
	found := &findings{changed: contents{}}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		s, err := parse(name, sources[name])
		if err != nil {
			return nil, err
		}
		if s.isOfTests() {
			continue
		}
		s.found = found
		if inspector != onlyControllers {
			s.editManagers(inspector)
		}
		s.editBuilders()
		if len(s.edits) == 0 {
			continue
		}
		if found.changed[name], err = s.done(); err != nil {
			return nil, err
		}
	}
	switch {
	case found.managers > 0 || inspector == onlyControllers:
		return found, nil
	case len(found.left) > 0:
		return nil, errors.New(strings.Join(found.left, "\n"))
	}
	return nil, fmt.Errorf("no file calls NewManager of %s or New of %s, outside of tests", ctrlPath, managerPath)
}

// imported returns the spec of an import, and its name in the file. The spec is nil if it is not imported by a name.
func (s *source) imported(path string) (*ast.ImportSpec, string) {
	for _, spec := range s.file.Imports {
		if at, _ := strconv.Unquote(spec.Path.Value); at != path {
			continue
		}
		if spec.Name == nil {
			return spec, packageName(path)
		}
		if spec.Name.Name != "_" && spec.Name.Name != "." {
			return spec, spec.Name.Name
		}
	}
	return nil, ""
}

func packageName(at string) string {
	if at == ctrlPath {
		return "controllerruntime"
	}
	return path.Base(at)
}

// isOfTests reports whether a file is there for tests, although it is not one.
func (s *source) isOfTests() bool {
	return slices.ContainsFunc(s.file.Imports, func(spec *ast.ImportSpec) bool {
		return slices.Contains([]string{`"testing"`, `"` + ctrlPath + `/pkg/envtest"`}, spec.Path.Value)
	})
}

// selected reports whether an expression is a name of an imported package.
func selected(e ast.Expr, name string) (*ast.SelectorExpr, bool) {
	selector, ok := e.(*ast.SelectorExpr)
	if !ok {
		return nil, false
	}
	x, ok := selector.X.(*ast.Ident) // of a package it has no object, and of a variable it has one
	return selector, ok && name != "" && x.Name == name && x.Obj == nil
}

// add imports a package of ours, if the file does not yet, and returns its name in the file.
func (s *source) add(at string) string {
	if spec, name := s.imported(at); spec != nil {
		return name
	}
	name := packageName(at)
	spec := strconv.Quote(at)
	if s.uses(name) {
		name = "dr" + name
		spec = name + " " + spec
	}
	if !slices.Contains(s.added, spec) {
		s.added = append(s.added, spec)
	}
	return name
}

// uses reports whether a name means something in the file.
func (s *source) uses(name string) (found bool) {
	for _, spec := range s.file.Imports {
		at, _ := strconv.Unquote(spec.Path.Value)
		if spec.Name != nil && spec.Name.Name == name || spec.Name == nil && packageName(at) == name {
			return true
		}
	}
	var look func(ast.Node) bool
	look = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			found = found || n.Name == name
		case *ast.SelectorExpr:
			ast.Inspect(n.X, look)
			return false // the name of a field or a method is another's
		}
		return !found
	}
	ast.Inspect(s.file, look)
	return found
}

// offset is where a node's position is in the text.
func (s *source) offset(at token.Pos) int { return s.files.Position(at).Offset }

// of is the text of a node.
func (s *source) of(n ast.Node) string { return s.text[s.offset(n.Pos()):s.offset(n.End())] }

func (s *source) replace(n ast.Node, with string) {
	s.edits = append(s.edits, edit{s.offset(n.Pos()), s.offset(n.End()), with})
}

func (s *source) insert(at token.Pos, with string) {
	s.edits = append(s.edits, edit{s.offset(at), s.offset(at), with})
}

// leave notes a manager that stays as it is.
func (s *source) leave(n ast.Node, what string) {
	s.found.left = append(s.found.left, fmt.Sprintf("%s: %s, or call Configure of %s/pkg/manager for its options by hand", s.files.Position(n.Pos()), what, ours))
}

// done returns the file with all its edits, as gofmt would have it.
func (s *source) done() (string, error) {
	s.importAdded()
	slices.SortStableFunc(s.edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var text strings.Builder
	at := 0
	for _, e := range s.edits {
		text.WriteString(s.text[at:e.from] + e.with)
		at = e.to
	}
	text.WriteString(s.text[at:])
	formatted, err := format.Source([]byte(text.String()))
	if err != nil {
		return "", fmt.Errorf("change %s: %w", s.name, err)
	}
	return string(formatted), nil
}

// importAdded adds the new imports as a group of their own, after the last import from elsewhere than the
// operator's module.
func (s *source) importAdded() {
	if len(s.added) == 0 {
		return
	}
	slices.Sort(s.added)
	last := s.file.Imports[0] // there is one, of controller-runtime
	for _, spec := range s.file.Imports {
		if strings.HasPrefix(spec.Path.Value, `"sigs.k8s.io/`) || strings.HasPrefix(spec.Path.Value, `"k8s.io/`) {
			last = spec
		}
	}
	at := s.offset(last.End())
	at += strings.IndexByte(s.text[at:]+"\n", '\n') // after a comment
	group := "\n\n\t" + strings.Join(s.added, "\n\t") + "\n"
	if s.alone(last) {
		group = "\n\nimport (\n\t" + strings.Join(s.added, "\n\t") + "\n)\n"
	}
	s.edits = append(s.edits, edit{at, at, group})
}

// alone reports whether an import has a declaration without parentheses.
func (s *source) alone(spec *ast.ImportSpec) bool {
	for _, d := range s.file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Pos() <= spec.Pos() && spec.End() <= g.End() {
			return !g.Lparen.IsValid()
		}
	}
	return true
}

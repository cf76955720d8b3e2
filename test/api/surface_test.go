package api

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// surface is what a package exports, one line for each symbol and for each field.
type surface struct {
	lines   []string
	symbols int // functions, types, methods, constants and variables; no fields
}

// surfaces reads all packages below a folder. Those with nothing exported are left out.
func surfaces(tree fs.FS, below string) (map[string]*surface, error) {
	all := map[string]*surface{}
	err := fs.WalkDir(tree, below, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "internal"):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		source, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		pkg := path.Dir(name)
		if all[pkg] == nil {
			all[pkg] = &surface{}
		}
		return all[pkg].file(name, source)
	})
	for pkg, s := range all {
		if len(s.lines) == 0 {
			delete(all, pkg)
		}
		slices.Sort(s.lines)
	}
	return all, err
}

func (s *surface) file(name string, source []byte) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.FileExports(file)
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Body = nil; d.Recv != nil {
				d.Recv.List[0].Names = nil
				if !ast.IsExported(receiver(d.Recv.List[0].Type)) {
					continue
				}
			}
			s.add("%s", text(d))
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				s.spec(d.Tok, spec)
			}
		}
	}
	return nil
}

// receiver is the name of the type that a method is of.
func receiver(of ast.Expr) string {
	switch t := of.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	default:
		panic(fmt.Sprintf("BUG: a method of a %T", of))
	}
}

func (s *surface) add(format string, args ...any) {
	s.symbols++
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

func (s *surface) spec(kind token.Token, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			if name.IsExported() { // what it is set to is no part of the API
				s.add("%s %s", kind, strings.TrimSpace(name.Name+" "+text(spec.Type)))
			}
		}
	case *ast.TypeSpec:
		s.typ(spec)
	}
}

// typ writes a type, and each field and method that it has by itself below it.
func (s *surface) typ(spec *ast.TypeSpec) {
	name := spec.Name.Name
	var fields *ast.FieldList
	switch t := spec.Type.(type) {
	case *ast.StructType:
		fields, spec.Type = t.Fields, ast.NewIdent("struct")
	case *ast.InterfaceType:
		fields, spec.Type = t.Methods, ast.NewIdent("interface")
	}
	s.add("type %s", text(spec))
	if fields == nil {
		return
	}
	for _, field := range fields.List {
		field.Doc, field.Comment, field.Tag = nil, nil, nil
		names := field.Names
		if len(names) == 0 {
			s.lines = append(s.lines, fmt.Sprintf("type %s has %s", name, text(field.Type)))
		}
		for _, member := range names {
			if member.IsExported() {
				s.lines = append(s.lines, fmt.Sprintf("type %s has %s %s", name, member.Name, text(field.Type)))
			}
		}
	}
}

// text prints a node on one line.
func text(node any) string {
	if expr, ok := node.(ast.Expr); node == nil || ok && expr == nil {
		return ""
	}
	var b strings.Builder
	if err := printer.Fprint(&b, token.NewFileSet(), node); err != nil {
		panic(fmt.Sprintf("BUG: print what was parsed: %v", err))
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

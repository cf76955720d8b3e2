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

	"github.com/delta-runtime/delta-runtime/internal/testing/sources"
)

// surface is what a package exports, one line for each symbol and for each field.
type surface struct {
	lines   []string
	symbols int // the number of functions, types, methods, constants and variables, without fields

	embeds map[string][]string // the unexported types that an exported one embeds
	hidden map[string][]string // the exported methods of an unexported type, without the receiver
}

// surfaces reads all packages below a folder. It leaves out packages that export nothing.
func surfaces(tree fs.FS, below string) (map[string]*surface, error) {
	all := map[string]*surface{}
	err := sources.Production(tree, below, func(name string, source []byte) error {
		if strings.Contains(name, "/internal/") || strings.HasPrefix(name, "pkg/inspect/") {
			return nil // the inspector's forms are written down as OpenAPI
		}
		pkg := path.Dir(name)
		if all[pkg] == nil {
			all[pkg] = &surface{embeds: map[string][]string{}, hidden: map[string][]string{}}
		}
		return all[pkg].file(name, source)
	})
	for pkg, s := range all {
		s.promote()
		slices.Sort(s.lines)
		if len(s.lines) == 0 {
			delete(all, pkg)
		}
	}
	return all, err
}

func (s *surface) file(name string, source []byte) error {
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			s.function(d)
		case *ast.GenDecl:
			var typ ast.Expr // a constant without type and value has those of the constant before it
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					if spec.Type != nil || len(spec.Values) > 0 {
						typ = spec.Type
					}
					s.values(d.Tok, spec, typ)
				case *ast.TypeSpec:
					s.typ(spec)
				}
			}
		}
	}
	return nil
}

func (s *surface) add(format string, args ...any) {
	s.symbols++
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

func (s *surface) function(d *ast.FuncDecl) {
	if !d.Name.IsExported() {
		return
	}
	d.Doc, d.Body = nil, nil
	if d.Recv == nil {
		s.add("%s", text(d))
		return
	}
	d.Recv.List[0].Names = nil
	if name := bare(d.Recv.List[0].Type); !ast.IsExported(name) {
		s.hidden[name] = append(s.hidden[name], d.Name.Name+strings.TrimPrefix(text(d.Type), "func"))
		return
	}
	s.add("%s", text(d))
}

// values writes constants and variables. Their values do not belong to the API.
func (s *surface) values(kind token.Token, spec *ast.ValueSpec, typ ast.Expr) {
	for _, name := range spec.Names {
		if name.IsExported() {
			s.add("%s %s", kind, strings.TrimSpace(name.Name+" "+text(typ)))
		}
	}
}

// typ writes a type, and below it the fields and methods that it declares itself.
func (s *surface) typ(spec *ast.TypeSpec) {
	if !spec.Name.IsExported() {
		return
	}
	name, closed := spec.Name.Name, ""
	var fields *ast.FieldList
	switch t := spec.Type.(type) {
	case *ast.StructType:
		fields, spec.Type = t.Fields, ast.NewIdent("struct")
	case *ast.InterfaceType:
		fields, spec.Type = t.Methods, ast.NewIdent("interface")
		closed = fmt.Sprintf("type %s can't be implemented elsewhere", name)
	}
	spec.Doc, spec.Comment = nil, nil
	s.add("type %s", text(spec))
	if fields == nil {
		return
	}
	for _, field := range fields.List {
		for _, member := range field.Names {
			switch {
			case member.IsExported():
				s.lines = append(s.lines, fmt.Sprintf("type %s has %s %s", name, member.Name, text(field.Type)))
			case closed != "":
				s.lines = append(s.lines, closed)
			}
		}
		if len(field.Names) > 0 {
			continue
		}
		if inner := bare(field.Type); inner != "" && !ast.IsExported(inner) {
			s.embeds[name] = append(s.embeds[name], inner)
		} else {
			s.lines = append(s.lines, fmt.Sprintf("type %s has %s", name, text(field.Type)))
		}
	}
}

// promote writes the methods that exported types get from embedded unexported types.
func (s *surface) promote() {
	for outer, inners := range s.embeds {
		for _, inner := range inners {
			for _, method := range s.hidden[inner] {
				s.add("func (%s) %s", outer, method)
			}
		}
	}
}

// bare is the name of a type of the same package, without pointer and parameters. It is empty
// for other types.
func bare(of ast.Expr) string {
	switch t := of.(type) {
	case *ast.StarExpr:
		return bare(t.X)
	case *ast.IndexExpr:
		return bare(t.X)
	case *ast.IndexListExpr:
		return bare(t.X)
	case *ast.Ident:
		return t.Name
	default:
		return ""
	}
}

// text prints a node on one line.
func text(node ast.Node) string {
	if node == nil {
		return ""
	}
	var b strings.Builder
	if err := printer.Fprint(&b, token.NewFileSet(), node); err != nil {
		panic(fmt.Sprintf("BUG: print a parsed node: %v", err))
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

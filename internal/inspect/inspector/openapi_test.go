package inspector

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

var update = flag.Bool("update", false, "write openapi.json instead of comparing it")

// object is an object of JSON.
type object map[string]any

const forms = "../../../pkg/inspect/v1"

// TestOpenAPIIsThatOfTheRoutes makes the document from the routes, the types, and the comments of
// their fields. With -update it writes the file.
func TestOpenAPIIsThatOfTheRoutes(t *testing.T) {
	m := maker{comments: comments(t), schemas: object{}}
	m.add(reflect.TypeFor[v1.Problem]())
	m.add(reflect.TypeFor[v1.Lost]())
	paths := object{}
	for _, r := range routes() {
		paths[r.path] = object{strings.ToLower(r.method): m.operation(&r)}
	}
	want, err := json.MarshalIndent(object{
		"openapi": "3.1.0",
		"info": object{
			"title": "delta-runtime inspector", "version": "v1",
			"description": "What an operator over delta-runtime knows about itself. Within v1 a field keeps its name and its meaning. Fields may be added.",
		},
		"paths":      paths,
		"components": object{"schemas": m.schemas},
	}, "", "  ")
	must(t, err)
	want = append(want, '\n')
	if *update {
		must(t, os.WriteFile("openapi.json", want, 0o600))
		return
	}
	if !bytes.Equal(want, openAPI) {
		t.Error("openapi.json is old; run: go test ./internal/inspect/inspector -run OpenAPI -update")
	}
}

// TestOpenAPIHasEachTypeOfV1 compares the document with the source of v1, in which no type can be
// missed because no route has it. Of a type the maker has each field.
func TestOpenAPIHasEachTypeOfV1(t *testing.T) {
	var doc struct {
		Components struct{ Schemas map[string]any }
	}
	must(t, json.Unmarshal(openAPI, &doc))
	var written []string
	for _, decl := range types(t) {
		for _, spec := range decl.Specs {
			written = append(written, spec.(*ast.TypeSpec).Name.Name)
		}
	}
	if documented := slices.Sorted(maps.Keys(doc.Components.Schemas)); !slices.Equal(documented, slices.Sorted(slices.Values(written))) {
		t.Errorf("the document has\n%s\nand v1 has\n%s", documented, written)
	}
	if len(written) < 20 {
		t.Errorf("v1 has %d types only", len(written))
	}
}

// maker makes schemas of types.
type maker struct {
	comments map[string]string // by "Type.Field" and "Type"
	schemas  object
}

func (m *maker) operation(r *route) object {
	params := []object{}
	for _, p := range r.params {
		params = append(params, object{
			"name": p.name, "in": "query", "required": p.required, "description": p.about, "schema": p.schema(),
		})
	}
	content := object{}
	switch {
	case r.media == mediaEvents:
		m.add(r.answer)
		content = object{"type": "string", "description": "Server-sent events: each event named delta has a Delta as its data, and each event named lost has a Lost. An event named here has the id from where its reader goes on."}
	case r.answer != nil:
		content = m.schema(r.answer)
	}
	op := object{
		"summary": strings.ToUpper(r.task[:1]) + r.task[1:], "parameters": params,
		"responses": object{
			"200":     object{"description": "the answer", "content": object{r.media: object{"schema": content}}},
			"default": object{"description": "why there is none", "content": object{mediaJSON: object{"schema": m.schema(reflect.TypeFor[v1.Problem]())}}},
		},
	}
	if r.body != nil {
		op["requestBody"] = object{"required": true, "content": object{mediaJSON: object{"schema": m.schema(r.body)}}}
	}
	return op
}

func (p *param) schema() object {
	switch p.form {
	case limit:
		return object{"type": "integer", "minimum": 1, "maximum": mostItems, "default": usualItems}
	case choice:
		return object{"type": "string", "enum": p.choices}
	default:
		return object{"type": "string", "maxLength": longestValue}
	}
}

// schema says what a type looks like in JSON.
func (m *maker) schema(of reflect.Type) object {
	switch of.Kind() {
	case reflect.Pointer:
		return m.schema(of.Elem())
	case reflect.Slice:
		return object{"type": "array", "items": m.schema(of.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": m.schema(of.Elem())}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Int, reflect.Uint32, reflect.Uint64:
		return object{"type": "integer"}
	case reflect.String:
		return object{"type": "string"}
	}
	if of == reflect.TypeFor[time.Time]() {
		return object{"type": "string", "format": "date-time"}
	}
	m.add(of)
	return object{"$ref": "#/components/schemas/" + of.Name()}
}

func (m *maker) add(of reflect.Type) {
	if of.Kind() != reflect.Struct {
		panic("no schema for " + of.String())
	}
	if m.schemas[of.Name()] != nil {
		return
	}
	properties, required := object{}, []string{}
	m.schemas[of.Name()] = object{"type": "object", "description": m.comments[of.Name()], "properties": properties}
	for field := range of.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		schema := m.schema(field.Type)
		if comment := m.comments[of.Name()+"."+field.Name]; comment != "" {
			schema["description"] = comment
		}
		if !strings.HasPrefix(options, "omit") {
			required = append(required, name)
		}
		properties[name] = schema
	}
	m.schemas[of.Name()].(object)["required"] = required
}

// comments are those of the types of v1 and of their fields.
func comments(t *testing.T) map[string]string {
	all := map[string]string{}
	for _, decl := range types(t) {
		for _, spec := range decl.Specs {
			name := spec.(*ast.TypeSpec).Name.Name
			all[name] = line(decl.Doc)
			for _, field := range fields(t, spec) {
				for _, of := range field.Names {
					all[name+"."+of.Name] = line(field.Doc)
				}
			}
		}
	}
	return all
}

func line(doc *ast.CommentGroup) string { return strings.Join(strings.Fields(doc.Text()), " ") }

func fields(t *testing.T, spec ast.Spec) []*ast.Field {
	t.Helper()
	of, ok := spec.(*ast.TypeSpec).Type.(*ast.StructType)
	if !ok {
		t.Fatalf("%s is not a struct, and the document has structs only", spec.(*ast.TypeSpec).Name)
	}
	return of.Fields.List
}

// types are the declarations of types in v1.
func types(t *testing.T) (all []*ast.GenDecl) {
	t.Helper()
	names, err := filepath.Glob(forms + "/*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("%s has no files (error %v)", forms, err)
	}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		must(t, err)
		for _, decl := range file.Decls {
			if of, ok := decl.(*ast.GenDecl); ok && of.Tok == token.TYPE {
				all = append(all, of)
			}
		}
	}
	return all
}

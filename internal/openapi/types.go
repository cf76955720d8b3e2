package openapi

import (
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/delta-runtime/delta-runtime/internal/path"
)

// Types are the types of some kinds of one group and version, with all that they refer to.
type Types struct {
	schema *schema.Schema
	kinds  map[string]root
}

// root is the definition of a kind, or why there is none.
type root struct {
	name *string
	err  error
}

// Of returns the type of one of the kinds.
func (t *Types) Of(kind string) (typed.ParseableType, error) {
	r, asked := t.kinds[kind]
	switch {
	case !asked:
		return typed.ParseableType{}, ErrNoKind
	case r.err != nil:
		return typed.ParseableType{}, r.err
	default:
		return typed.ParseableType{Schema: t.schema, TypeRef: schema.TypeRef{NamedType: r.name}}, nil
	}
}

// Types returns the types of some kinds. Where they are equal to others, they are the same
// memory.
func (d *Document) Types(kinds []string, others ...*Types) *Types {
	t := &Types{kinds: map[string]root{}}
	all := map[string]bool{}
	m := maker{pool: newPool(others), keys: map[string][]string{}}
	for _, kind := range kinds {
		reached, err := d.reachOf(kind)
		if err != nil {
			t.kinds[kind] = root{err: err}
			continue
		}
		t.kinds[kind] = root{name: m.name(d.kinds[kind])}
		maps.Copy(all, reached.names)
		for name, keys := range reached.keys {
			m.keys[name] = append(m.keys[name], keys...)
		}
	}
	defined := make([]schema.TypeDef, 0, len(all)+len(common))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		defined = append(defined, schema.TypeDef{Name: *m.name(name), Atom: m.define(name, d.definitions[name])})
	}
	t.schema = &schema.Schema{Types: append(defined, common...)}
	return t
}

// Names of types that stand for anything.
var (
	atomic      = path.UntypedPrefix + "atomic_"
	deduced     = path.UntypedPrefix + "deduced_"
	unmentioned = path.Unmentioned
)

// Scalars, and relations that a reference may change.
var (
	numeric, text, boolean, untyped = schema.Numeric, schema.String, schema.Boolean, schema.Untyped
	asOne, separable                = schema.Atomic, schema.Separable
)

// common are the types of all documents.
var common = []schema.TypeDef{
	{Name: atomic, Atom: anything(&atomic, schema.Atomic)},
	{Name: deduced, Atom: anything(&deduced, schema.Separable)},
	{Name: unmentioned, Atom: anything(&deduced, schema.Separable)},
}

// anything is a type whose values may be anything.
func anything(below *string, relation schema.ElementRelationship) schema.Atom {
	return schema.Atom{
		Scalar: &untyped,
		List:   &schema.List{ElementType: schema.TypeRef{NamedType: &atomic}, ElementRelationship: schema.Atomic},
		Map:    &schema.Map{ElementType: schema.TypeRef{NamedType: below}, ElementRelationship: relation},
	}
}

// made reports whether a definition is not what the document says. The documents take a
// quantity for a text, and an extension for an object.
func made(name string) bool {
	return name == "io.k8s.apimachinery.pkg.api.resource.Quantity" || name == "io.k8s.apimachinery.pkg.runtime.RawExtension"
}

// maker makes types of shapes. These have been checked.
type maker struct {
	*pool
	keys map[string][]string // of the lists of each definition
}

// place is where a shape stands.
type place struct {
	preserve bool     // anything may be where nothing is mentioned
	keys     []string // of the list whose elements are so
}

func (m *maker) define(name string, sh *shape) schema.Atom {
	switch {
	case !made(name):
		return m.atom(sh, place{keys: m.keys[name]})
	case name == "io.k8s.apimachinery.pkg.api.resource.Quantity":
		return schema.Atom{Scalar: &untyped}
	default:
		return common[0].Atom
	}
}

func (m *maker) atom(sh *shape, at place) schema.Atom {
	at.preserve = at.preserve || sh.preserve
	switch sh.typ {
	case "":
		if sh.mixed {
			return schema.Atom{Scalar: &untyped}
		}
		return schema.Atom{Scalar: &untyped, List: m.listOf(sh, at), Map: m.mapOf(sh, at)}
	case "object":
		return schema.Atom{Map: m.mapOf(sh, at)}
	case "array":
		return schema.Atom{List: m.listOf(sh, at)}
	case "integer", "number":
		return schema.Atom{Scalar: &numeric}
	case "boolean":
		return schema.Atom{Scalar: &boolean}
	case "string":
		if sh.other {
			return schema.Atom{Scalar: &untyped}
		}
		return schema.Atom{Scalar: &text}
	default:
		panic(fmt.Sprintf("BUG: type %q has not been checked", sh.typ))
	}
}

func (m *maker) ref(sh *shape, at place) schema.TypeRef {
	if sh.ref == "" {
		return schema.TypeRef{Inlined: m.atom(sh, at), Nullable: sh.nullable}
	}
	r := schema.TypeRef{NamedType: m.name(sh.ref), Nullable: sh.nullable}
	r.ElementRelationship, _ = relation(sh.mapType)
	return r
}

// relation is how the fields of a map belong together, nil if that is not said.
func relation(mapType string) (*schema.ElementRelationship, error) {
	switch mapType {
	case "":
		return nil, nil //nolint:nilnil // most maps don't say it
	case "atomic":
		return &asOne, nil
	case "granular":
		return &separable, nil
	default:
		return nil, fmt.Errorf("a map has type %.100q", mapType)
	}
}

func (m *maker) mapOf(sh *shape, at place) *schema.Map {
	made := &schema.Map{}
	if said, _ := relation(sh.mapType); said != nil {
		made.ElementRelationship = *said
	}
	if len(sh.fields) > 0 {
		made.Fields = make([]schema.StructField, len(sh.fields))
	}
	below := place{preserve: at.preserve}
	for i, f := range sh.fields {
		made.Fields[i] = schema.StructField{Name: f.name, Type: m.ref(f.shape, below)}
		if slices.Contains(at.keys, f.name) {
			made.Fields[i].Default = f.initial
		}
	}
	switch {
	case sh.rest != nil:
		made.ElementType = m.ref(sh.rest, below)
	case sh.closed:
	case sh.free || at.preserve || len(sh.fields) == 0:
		made.ElementType = schema.TypeRef{NamedType: &deduced}
	default:
		made.ElementType = schema.TypeRef{NamedType: &unmentioned}
	}
	return m.fields(made)
}

func (m *maker) listOf(sh *shape, at place) *schema.List {
	apart, keys, _ := sh.list.relation()
	made := &schema.List{ElementRelationship: schema.Atomic, Keys: keys, ElementType: schema.TypeRef{NamedType: &atomic}}
	if apart {
		made.ElementRelationship = schema.Associative
	}
	if sh.items != nil {
		made.ElementType = m.ref(sh.items, place{preserve: at.preserve, keys: keys})
	}
	return m.list(made)
}

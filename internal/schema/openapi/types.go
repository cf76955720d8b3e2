package openapi

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
)

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

// Types are the types of some kinds of one group and version, with all that they refer to.
type Types struct {
	schema *schema.Schema
	kinds  map[string]root
}

// root is the definition of a kind, or why there is none.
type root struct {
	name string
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
		return typed.ParseableType{Schema: t.schema, TypeRef: schema.TypeRef{NamedType: &r.name}}, nil
	}
}

// Types returns the types of some kinds.
func (d *Document) Types(kinds []string) *Types {
	t := &Types{kinds: map[string]root{}}
	all := map[string]schema.Atom{}
	for _, kind := range kinds {
		name, ok := d.kinds[kind]
		if !ok {
			t.kinds[kind] = root{err: ErrNoKind}
			continue
		}
		reached := map[string]schema.Atom{}
		err := d.reach(name, reached)
		if err == nil {
			maps.Copy(all, reached)
		}
		t.kinds[kind] = root{name, err}
	}
	defined := make([]schema.TypeDef, 0, len(all)+len(common))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		defined = append(defined, schema.TypeDef{Name: name, Atom: all[name]})
	}
	t.schema = &schema.Schema{Types: append(defined, common...)}
	return t
}

// reach adds a definition and all that it leads to.
func (d *Document) reach(name string, into map[string]schema.Atom) error {
	if _, known := into[name]; known || strings.HasPrefix(name, path.UntypedPrefix) {
		return nil
	}
	found, ok := d.definitions[name]
	switch {
	case !ok:
		return fmt.Errorf("the document has no definition %.100s", name)
	case found.err != nil:
		return fmt.Errorf("definition %.100s: %w", name, found.err)
	}
	into[name] = found.atom
	return d.follow(&found.atom, into)
}

// follow goes to the definitions that a type refers to.
func (d *Document) follow(a *schema.Atom, into map[string]schema.Atom) (err error) {
	eachRef(a, func(r *schema.TypeRef) {
		switch {
		case err != nil:
		case r.NamedType != nil:
			err = d.reach(*r.NamedType, into)
		default:
			err = d.follow(&r.Inlined, into)
		}
	})
	return err
}

// eachRef calls do for each type that a type refers to.
func eachRef(a *schema.Atom, do func(*schema.TypeRef)) {
	if a.List != nil {
		do(&a.List.ElementType)
	}
	if a.Map != nil {
		for i := range a.Map.Fields {
			do(&a.Map.Fields[i].Type)
		}
		do(&a.Map.ElementType)
	}
}

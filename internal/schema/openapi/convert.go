package openapi

import (
	"errors"
	"fmt"

	"sigs.k8s.io/structured-merge-diff/v6/schema"

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

// typeRef is the type that a schema gives a part.
func (sh *shape) typeRef(p *pool) (schema.TypeRef, error) {
	if sh.ref == "" {
		atom, err := sh.atom(p)
		return schema.TypeRef{Inlined: atom, Nullable: sh.nullable}, err
	}
	relation, err := sh.relation()
	return schema.TypeRef{NamedType: p.name(sh.ref), Nullable: sh.nullable, ElementRelationship: relation}, err
}

// atom is the type that a schema describes.
func (sh *shape) atom(p *pool) (a schema.Atom, err error) {
	if sh.err != nil {
		return a, sh.err
	}
	switch sh.typ {
	case "integer", "number":
		a.Scalar = &numeric
	case "boolean":
		a.Scalar = &boolean
	case "string":
		a.Scalar = &text
		if sh.other {
			a.Scalar = &untyped
		}
	case "object":
		a.Map, err = sh.mapOf(p)
	case "array":
		if a.List, err = sh.listOf(p); sh.items == nil {
			err = errors.New("nothing says what the elements of a list are")
		}
	case "":
		if a.Scalar = &untyped; sh.mixed {
			break
		}
		if a.List, err = sh.listOf(p); err == nil {
			a.Map, err = sh.mapOf(p)
		}
	default:
		err = fmt.Errorf("type %.100q is unknown", sh.typ)
	}
	return a, err
}

// relation is how the fields of a map belong together, nil if that is not said.
func (sh *shape) relation() (*schema.ElementRelationship, error) {
	switch sh.mapType {
	case "":
		return nil, nil //nolint:nilnil // most maps don't say it
	case "atomic":
		return &asOne, nil
	case "granular":
		return &separable, nil
	default:
		return nil, fmt.Errorf("a map has type %.100q", sh.mapType)
	}
}

func (sh *shape) mapOf(p *pool) (*schema.Map, error) {
	var relation schema.ElementRelationship
	said, err := sh.relation()
	if said != nil {
		relation = *said
	}
	var element schema.TypeRef
	switch {
	case sh.rest != nil:
		element = *sh.rest
	case sh.closed:
	case sh.free || sh.preserve || len(sh.fields) == 0:
		element.NamedType = &deduced
	default:
		element.NamedType = &unmentioned
	}
	if sh.preserve {
		element = p.ref(element, true)
		for i := range sh.fields {
			sh.fields[i].Type = p.ref(sh.fields[i].Type, true)
		}
	}
	return p.fields(sh.fields, element, relation), err
}

func (sh *shape) listOf(p *pool) (*schema.List, error) {
	apart, keys, err := sh.list.relation()
	made := schema.List{ElementRelationship: schema.Atomic, Keys: keys, ElementType: schema.TypeRef{NamedType: &atomic}}
	if apart {
		made.ElementRelationship = schema.Associative
	}
	if sh.items != nil {
		made.ElementType = *sh.items
	}
	if sh.preserve {
		made.ElementType = p.ref(made.ElementType, true)
	}
	return p.list(&made), err
}

// relation is what tells the elements of a list apart: by keys, by their values if it has no
// keys, or not at all.
func (l *listing) relation() (apart bool, keys []string, err error) {
	switch l.kind {
	case "atomic":
		return false, nil, nil
	case "set":
		return true, nil, nil
	case "map":
		if !l.keyed {
			return false, nil, errors.New("a list of type map has no keys")
		}
		return true, l.keys, nil
	case "":
	default:
		return false, nil, fmt.Errorf("a list has type %q", l.kind)
	}
	switch l.patch {
	case "merge", "merge,retainKeys":
		if l.key != "" {
			keys = []string{l.key}
		}
		return true, keys, nil
	case "", "retainKeys":
		return false, nil, nil
	default:
		return false, nil, fmt.Errorf("a list has patch strategy %q", l.patch)
	}
}

package openapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/schema"
)

// shape is what a schema says, as far as a difference can ask.
type shape struct {
	Ref   string `json:"$ref"` // another schema that it stands for
	AllOf []struct {
		Ref string `json:"$ref"`
	} `json:"allOf"`
	Type     any    `json:"type"` // a text, or a list that begins with one
	Format   string `json:"format"`
	Nullable bool   `json:"nullable"`
	Default  any    `json:"default"` // the value that is meant where there is none

	Properties map[string]*shape `json:"properties"`
	Rest       *rest             `json:"additionalProperties"`
	Items      *shape            `json:"items"`

	Preserve bool     `json:"x-kubernetes-preserve-unknown-fields"` // everything below may have fields that nobody mentions
	MapType  string   `json:"x-kubernetes-map-type"`
	ListType string   `json:"x-kubernetes-list-type"` // atomic, set or map
	ListKeys []string `json:"x-kubernetes-list-map-keys"`
	Patch    string   `json:"x-kubernetes-patch-strategy"` // what is older than these, and counts where there is no ListType
	PatchKey string   `json:"x-kubernetes-patch-merge-key"`
}

// rest is what fields may be that nobody mentions.
type rest struct {
	shape *shape // nil if nothing says it
	free  bool   // anything, else nothing
}

// UnmarshalJSON reads a schema, true or false.
func (r *rest) UnmarshalJSON(text []byte) error {
	r.free = string(text) == "true"
	if text[0] != '{' {
		return nil
	}
	return json.Unmarshal(text, &r.shape)
}

// reference is the name of the definition that a schema stands for. A single one in allOf is how a document says something
// else of a definition beside it.
func (sh *shape) reference() string {
	ref := sh.Ref
	if ref == "" && len(sh.AllOf) == 1 {
		ref = sh.AllOf[0].Ref
	}
	_, name := path.Split(ref)
	return name
}

// kind is the type that a schema names.
func (sh *shape) kind() string {
	named := sh.Type
	if several, ok := named.([]any); ok && len(several) > 0 {
		named = several[0]
	}
	switch named := named.(type) {
	case nil:
		return ""
	case string:
		return named
	default:
		return fmt.Sprint(named)
	}
}

// initial is the default. It is nil for a value that is not a scalar: no key of a list is.
func (sh *shape) initial() any {
	switch value := sh.Default.(type) {
	case string, bool:
		return value
	case float64:
		if whole := int64(value); float64(whole) == value {
			return whole
		}
		return value
	default:
		return nil
	}
}

// typeRef is the type that a schema gives a part. If it is open, anything may be where nothing is mentioned.
func (sh *shape) typeRef(p *pool, open bool) (schema.TypeRef, error) {
	name := sh.reference()
	if name == "" {
		atom, err := sh.atom(p, open)
		return schema.TypeRef{Inlined: atom, Nullable: sh.Nullable}, err
	}
	relation, err := sh.relation()
	return schema.TypeRef{NamedType: p.name(name), Nullable: sh.Nullable, ElementRelationship: relation}, err
}

// atom is the type that a schema describes.
func (sh *shape) atom(p *pool, open bool) (a schema.Atom, err error) {
	open = open || sh.Preserve
	switch kind := sh.kind(); kind {
	case "integer", "number":
		a.Scalar = &numeric
	case "boolean":
		a.Scalar = &boolean
	case "string":
		a.Scalar = &text
		if sh.Format != "" && sh.Format != "byte" {
			a.Scalar = &untyped
		}
	case "object":
		a.Map, err = sh.mapOf(p, open)
	case "array":
		if a.List, err = sh.listOf(p, open); sh.Items == nil {
			err = errors.New("nothing says what the elements of a list are")
		}
	case "":
		if a.Scalar = &untyped; sh.Format == "int-or-string" {
			break
		}
		if a.List, err = sh.listOf(p, open); err == nil {
			a.Map, err = sh.mapOf(p, open)
		}
	default:
		err = fmt.Errorf("type %.100q is unknown", kind)
	}
	return a, err
}

// relation is how the fields of a map belong together, nil if that is not said.
func (sh *shape) relation() (*schema.ElementRelationship, error) {
	switch sh.MapType {
	case "":
		return nil, nil //nolint:nilnil // most maps don't say it
	case "atomic":
		return &asOne, nil
	case "granular":
		return &separable, nil
	default:
		return nil, fmt.Errorf("a map has type %.100q", sh.MapType)
	}
}

func (sh *shape) mapOf(p *pool, open bool) (*schema.Map, error) {
	made := schema.Map{Fields: make([]schema.StructField, 0, len(sh.Properties))}
	said, err := sh.relation()
	if said != nil {
		made.ElementRelationship = *said
	}
	for _, name := range slices.Sorted(maps.Keys(sh.Properties)) {
		below := sh.Properties[name]
		if below == nil {
			below = &shape{}
		}
		ref, wrong := below.typeRef(p, open)
		if wrong != nil {
			return nil, fmt.Errorf("field %.100s: %w", name, wrong)
		}
		made.Fields = append(made.Fields, schema.StructField{Name: *p.name(name), Type: ref, Default: below.initial()})
	}
	switch {
	case sh.Rest != nil && sh.Rest.shape != nil:
		var wrong error
		if made.ElementType, wrong = sh.Rest.shape.typeRef(p, open); wrong != nil {
			return nil, fmt.Errorf("other fields: %w", wrong)
		}
	case sh.Rest != nil && !sh.Rest.free:
	case sh.Rest != nil || open || len(made.Fields) == 0:
		made.ElementType.NamedType = &deduced
	default:
		made.ElementType.NamedType = &unmentioned
	}
	return p.fields(&made), err
}

func (sh *shape) listOf(p *pool, open bool) (*schema.List, error) {
	apart, keys, err := sh.elements()
	made := schema.List{ElementRelationship: schema.Atomic, Keys: keys, ElementType: schema.TypeRef{NamedType: &atomic}}
	if apart {
		made.ElementRelationship = schema.Associative
	}
	if sh.Items != nil {
		var wrong error
		if made.ElementType, wrong = sh.Items.typeRef(p, open); wrong != nil {
			return nil, fmt.Errorf("elements: %w", wrong)
		}
	}
	return p.list(&made), err
}

// elements is what tells the elements of a list apart: keys, their values if it has no keys, or nothing.
func (sh *shape) elements() (apart bool, keys []string, err error) {
	switch sh.ListType {
	case "atomic":
		return false, nil, nil
	case "set":
		return true, nil, nil
	case "map":
		if sh.ListKeys == nil {
			err = errors.New("a list of type map has no keys")
		}
		return true, sh.ListKeys, err
	case "":
	default:
		return false, nil, fmt.Errorf("a list has type %q", sh.ListType)
	}
	switch sh.Patch {
	case "merge", "merge,retainKeys":
		if sh.PatchKey != "" {
			keys = []string{sh.PatchKey}
		}
		return true, keys, nil
	case "", "retainKeys":
		return false, nil, nil
	default:
		return false, nil, fmt.Errorf("a list has patch strategy %q", sh.Patch)
	}
}

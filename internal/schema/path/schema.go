package path

import (
	"fmt"
	"slices"
	"strings"

	unstructuredv1 "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kinds "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// schemaSlot is a place that a schema describes.
type schemaSlot struct {
	schema *schema.Schema
	ref    schema.TypeRef
}

func (p schemaSlot) content() content {
	atom, ok := p.schema.Resolve(p.ref)
	if !ok || atom == (schema.Atom{}) || p.ref.NamedType != nil && strings.HasPrefix(*p.ref.NamedType, UntypedPrefix) {
		return content{any: true}
	}
	var c content
	if atom.Scalar != nil {
		c.scalar = scalarOf(*atom.Scalar)
	}
	if atom.List != nil {
		c.element = p.at(&atom.List.ElementType)
	}
	if m := atom.Map; m != nil {
		c.field, c.names = p.fields(m)
		if opens(&m.ElementType) {
			c.entry = p.at(&m.ElementType)
		}
	}
	return c
}

// opens reports whether a map has other fields than those with names.
func opens(element *schema.TypeRef) bool {
	if element.NamedType == nil {
		return element.Inlined != (schema.Atom{})
	}
	return *element.NamedType != Unmentioned
}

const (
	// UntypedPrefix is how the names of the types begin that stand for anything.
	UntypedPrefix = "__untyped_"
	// Unmentioned is the type of fields that a kind is not known to have. An object is read with
	// them, because a description may be older than the object. A path can't lead to one.
	Unmentioned = UntypedPrefix + "unmentioned_"
)

func (p schemaSlot) at(ref *schema.TypeRef) slot { return schemaSlot{p.schema, *ref} }

func (p schemaSlot) fields(m *schema.Map) (find func(string) (slot, bool), names func() []string) {
	find = func(name string) (slot, bool) {
		field, ok := m.FindField(name)
		return p.at(&field.Type), ok
	}
	names = func() []string {
		all := make([]string, len(m.Fields))
		for i := range m.Fields {
			all[i] = m.Fields[i].Name
		}
		slices.Sort(all)
		return all
	}
	return find, names
}

func scalarOf(s schema.Scalar) scalar {
	switch s {
	case schema.String:
		return textual
	case schema.Numeric:
		return numeric
	case schema.Boolean:
		return boolean
	default:
		return anyScalar
	}
}

// Schemas knows the types of objects.
type Schemas interface {
	ObjectToTyped(obj runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error)
}

// strictSchemas are [Schemas] that can tell which fields a kind has. Schemas that read
// objects let through fields that they do not know, so these have to be asked otherwise.
type strictSchemas interface {
	TypeOf(kind kinds.GroupVersionKind) (typed.ParseableType, error)
}

// schemaOf returns what schemas say of a kind. Where they don't, a path is not known to be wrong.
func schemaOf(schemas Schemas, kind kinds.GroupVersionKind) slot {
	if schemas == nil || kind.Kind == "" {
		return unknownSlot{}
	}
	var found typed.ParseableType
	err := Guard(func() (err error) {
		if strict, ok := schemas.(strictSchemas); ok {
			found, err = strict.TypeOf(kind)
		} else {
			found, err = TypeOf(schemas, kind)
		}
		return err
	})
	if err != nil {
		return unknownSlot{}
	}
	return schemaSlot{found.Schema, found.TypeRef}
}

// TypeOf returns the type that schemas give to objects of a kind.
func TypeOf(schemas Schemas, kind kinds.GroupVersionKind) (typed.ParseableType, error) {
	empty := &unstructuredv1.Unstructured{Object: map[string]any{}}
	empty.SetGroupVersionKind(kind)
	read, err := schemas.ObjectToTyped(empty)
	if err != nil {
		return typed.ParseableType{}, fmt.Errorf("look for the type of a %s: %w", kind.Kind, err)
	}
	return typed.ParseableType{Schema: read.Schema(), TypeRef: read.TypeRef()}, nil
}

// untypedRoot is an object whose Go type says nothing of its content but the metadata.
// The schema of its kind, if there is one, says what else it has.
type untypedRoot struct{ described slot }

func (r untypedRoot) content() content {
	described := r.described.content()
	if described.any {
		return content{field: ofEveryKind.find, names: ofEveryKind.names, entry: unknownSlot{}}
	}
	c := described
	c.field = func(name string) (slot, bool) {
		if found, ok := ofEveryKind[name]; ok {
			return found, true
		}
		if described.field == nil {
			return nil, false
		}
		return described.field(name)
	}
	return c
}

// Guard turns a panic into an error: it is what structured-merge-diff and generated
// code do about types that they do not expect, and what we compare is our users'.
func Guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return f()
}

package fulltypes

import (
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Difference is a place at which two types are not the same.
type Difference struct {
	Path string
	Type string // the name of the type, if it has one
	What string
}

// String has all of it.
func (d Difference) String() string { return d.Path + " (" + d.Type + "): " + d.What }

const (
	// OnlyValues is What is different where the second type allows for one value only, and the first
	// for anything.
	OnlyValues = "is one value, and not anything"
	// OtherName is how What begins where the names are different.
	OtherName = "is called "
)

// Differences compares two types with all that they refer to, as far as a difference or a path can
// depend on it. Each named type is compared once. Below an element of the type unmentioned nothing
// is compared: that is as good as no such element if strict, and as any element if not.
func Differences(want, got typed.ParseableType, unmentioned string, strict bool) []Difference {
	c := comparison{want: want.Schema, got: got.Schema, unmentioned: unmentioned, strict: strict, seen: map[[3]string]bool{}}
	c.refs("", want.TypeRef, got.TypeRef)
	slices.SortStableFunc(c.found, func(a, b Difference) int { return strings.Compare(a.Path, b.Path) }) // fields have no order
	return c.found
}

type comparison struct {
	want, got   *schema.Schema
	unmentioned string
	strict      bool
	seen        map[[3]string]bool
	found       []Difference
}

func name(r schema.TypeRef) string {
	if r.NamedType == nil {
		return ""
	}
	return *r.NamedType
}

func (c *comparison) refs(path string, want, got schema.TypeRef) {
	names := [3]string{name(want), name(got)}
	if want.ElementRelationship != nil {
		names[2] = string(*want.ElementRelationship)
	}
	if names[0] != "" {
		if c.seen[names] {
			return
		}
		c.seen[names] = true
	}
	differ := func(what string, values ...any) {
		c.found = append(c.found, Difference{path, names[0], fmt.Sprintf(what, values...)})
	}
	if names[0] != names[1] {
		differ(OtherName+"%q", names[1])
	}
	if want.Nullable != got.Nullable {
		differ("is nullable: %t", got.Nullable)
	}
	a, ok1 := c.want.Resolve(want)
	b, ok2 := c.got.Resolve(got)
	if ok1 != ok2 {
		differ("is there: %t", ok2)
		return
	}
	if (a.Scalar == nil) != (b.Scalar == nil) || a.Scalar != nil && *a.Scalar != *b.Scalar {
		differ("has other values")
	}
	if a.Scalar != nil && a.List != nil && a.Map != nil && b.Scalar != nil && b.List == nil && b.Map == nil {
		differ(OnlyValues)
		return
	}
	if (a.List == nil) != (b.List == nil) || (a.Map == nil) != (b.Map == nil) {
		differ("is a list: %t, a map: %t", b.List != nil, b.Map != nil)
		return
	}
	if a.List != nil {
		c.lists(path+"[*]", a.List, b.List, differ)
	}
	if a.Map != nil {
		c.maps(path, a.Map, b.Map, differ)
	}
}

func (c *comparison) lists(path string, want, got *schema.List, differ func(string, ...any)) {
	if want.ElementRelationship != got.ElementRelationship || !slices.Equal(want.Keys, got.Keys) {
		differ("is a list that is %s, with keys %q, and not %s with keys %q", got.ElementRelationship, got.Keys, want.ElementRelationship, want.Keys)
	}
	for _, key := range want.Keys {
		if a, b := initial(c.want, want, key), initial(c.got, got, key); (a == nil) != (b == nil) || a != nil && !value.Equals(a, b) {
			differ("has the key %s, which is %s where it is not said, and not %s", key, text(b), text(a))
		}
	}
	c.refs(path, want.ElementType, got.ElementType)
}

// initial is the value that a key has in an element that does not say it.
func initial(in *schema.Schema, list *schema.List, key string) value.Value {
	atom, ok := in.Resolve(list.ElementType)
	if !ok || atom.Map == nil {
		return nil
	}
	field, ok := atom.Map.FindField(key)
	if !ok || field.Default == nil {
		return nil
	}
	return value.NewValueInterface(field.Default)
}

func text(v value.Value) string {
	if v == nil {
		return "nothing"
	}
	return value.ToString(v)
}

func (c *comparison) maps(path string, want, got *schema.Map, differ func(string, ...any)) {
	if (want.ElementRelationship == schema.Atomic) != (got.ElementRelationship == schema.Atomic) {
		differ("is a map that is %q, and not %q", got.ElementRelationship, want.ElementRelationship)
	}
	for i := range want.Fields {
		a := &want.Fields[i]
		if b, ok := got.FindField(a.Name); ok {
			c.refs(path+"."+a.Name, a.Type, b.Type)
		} else {
			differ("has no field %s", a.Name)
		}
	}
	if len(got.Fields) != len(want.Fields) {
		differ("has %d fields, and not %d", len(got.Fields), len(want.Fields))
	}
	closed := c.strict && name(got.ElementType) == c.unmentioned || empty(got.ElementType)
	switch {
	case closed != empty(want.ElementType):
		differ("has fields without a name: %t", !closed)
	case !closed && name(got.ElementType) != c.unmentioned:
		c.refs(path+".*", want.ElementType, got.ElementType)
	}
}

func empty(r schema.TypeRef) bool { return r.NamedType == nil && r.Inlined == schema.Atom{} }

package path

import (
	"encoding"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// content says what one place of an object may hold, as a Go type or a schema describes
// it. Where the description leaves something open, the content has more rather than less,
// so that no path is refused that could exist.
type content struct {
	any     bool // nothing can be ruled out
	unknown bool // any, because there is no description

	scalar  scalar                         // which scalars it may be
	field   func(name string) (slot, bool) // finds a field; nil where there are none
	names   func() []string                // of the fields
	entry   slot                           // every entry of a map; nil if it is not a map
	element slot                           // every element of a list; nil if it is not a list
}

// slot is a place that all objects of a type have.
type slot interface{ content() content }

// scalar is a set of the scalars that a value may be.
type scalar uint8

const (
	textual scalar = 1 << iota
	numeric
	boolean

	anyScalar = textual | numeric | boolean
)

// String says it for an error.
func (s scalar) String() string {
	switch s {
	case textual:
		return "a text"
	case numeric:
		return "a number"
	case boolean:
		return "true or false"
	default:
		return "one value"
	}
}

// unknownSlot is a place that has no description.
type unknownSlot struct{}

func (unknownSlot) content() content { return content{any: true, unknown: true} }

// goSlot is a place that a Go type describes, by the names that its JSON has.
type goSlot struct{ reflect.Type }

func (p goSlot) content() content {
	t := p.Type
	if open, scalar, ok := customJSON(t); ok {
		return content{any: open, scalar: scalar}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return goSlot{t.Elem()}.content()
	case reflect.Struct:
		fields := fieldsOf(t)
		return content{field: fields.find, names: fields.names}
	case reflect.Map:
		return content{entry: goSlot{t.Elem()}}
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 { // JSON has a text, or a list if it is an array
			return content{scalar: textual, any: t.Kind() == reflect.Array}
		}
		return content{element: goSlot{t.Elem()}}
	case reflect.String:
		return content{scalar: textual}
	case reflect.Bool:
		return content{scalar: boolean}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Float32, reflect.Float64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return content{scalar: numeric}
	default: // an interface holds anything, and of the rest there is no JSON
		return content{any: true}
	}
}

// customJSON is for types whose JSON does not follow from their fields. It is open unless
// the type says that it is a scalar, as quantities and times do.
func customJSON(t reflect.Type) (open bool, scalars scalar, ok bool) {
	switch {
	case t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface:
		return false, 0, false
	case t == reflect.TypeFor[time.Time]():
		return false, textual, true
	case has[json.Marshaler](t) || has[json.Unmarshaler](t):
		said, ok := reflect.New(t).Interface().(interface{ OpenAPISchemaType() []string })
		if !ok {
			return true, 0, true
		}
		names := said.OpenAPISchemaType() // none where it does not want to say
		open := len(names) == 0 || slices.Contains(names, "object") || slices.Contains(names, "array")
		return open, anyScalar, true
	case has[encoding.TextMarshaler](t):
		return t.Kind() == reflect.Struct || t.Kind() == reflect.Map, anyScalar, true
	default:
		return false, 0, false
	}
}

// has reports whether a type, or a pointer to it, has the methods of I.
func has[I any](t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[I]()) || reflect.PointerTo(t).Implements(reflect.TypeFor[I]())
}

// goFields are the fields of a struct, by the names that its JSON has.
type goFields map[string]slot

func (f goFields) find(name string) (slot, bool) {
	found, ok := f[name]
	return found, ok
}

func (f goFields) names() []string { return slices.Sorted(maps.Keys(f)) }

// knownFields has the goFields of each struct that was asked for, by its reflect.Type. A
// program has no more types than it was compiled with.
var knownFields sync.Map

func fieldsOf(t reflect.Type) goFields {
	if known, ok := knownFields.Load(t); ok {
		return known.(goFields)
	}
	fields := goFields{}
	fields.add(t)
	known, _ := knownFields.LoadOrStore(t, fields)
	return known.(goFields)
}

// add takes in the fields of a struct, then those of the structs that it embeds, and so on, level by level. A
// name that is there already stays what it is.
func (f goFields) add(t reflect.Type) {
	seen := map[reflect.Type]bool{t: true}
	for level := []reflect.Type{t}; len(level) > 0; {
		var next []reflect.Type
		for _, t := range level {
			for _, inner := range f.addOwn(t) {
				if !seen[inner] { // which ends a recursion
					seen[inner] = true
					next = append(next, inner)
				}
			}
		}
		level = next
	}
}

// addOwn takes in the fields of a struct alone, and returns the structs that it embeds.
func (f goFields) addOwn(t reflect.Type) (embedded []reflect.Type) {
	for i := range t.NumField() {
		field := t.Field(i)
		tag := field.Tag.Get("json")
		if tag == "-" || !field.IsExported() && !field.Anonymous {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		inner := field.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		inline := field.Anonymous && name == ""
		if (inline || slices.Contains(strings.Split(options, ","), "inline")) && inner.Kind() == reflect.Struct {
			embedded = append(embedded, inner)
		}
		if inline && inner.Kind() == reflect.Struct { // one that only says that it is inline has a name as well
			continue
		}
		if name == "" {
			name = field.Name
		}
		if _, there := f[name]; !there {
			f[name] = goSlot{field.Type}
		}
	}
	return embedded
}

// ofEveryKind are the fields that all objects have, whatever else they have.
var ofEveryKind = goFields{
	"apiVersion": goSlot{reflect.TypeFor[string]()},
	"kind":       goSlot{reflect.TypeFor[string]()},
	"metadata":   goSlot{reflect.TypeFor[metav1.ObjectMeta]()},
}

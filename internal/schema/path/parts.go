package path

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	unstructuredv1 "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/delta-runtime/delta-runtime/internal/api/dedup"
)

// Part is a field of an object, or of its metadata, spec or status: what is noted of a
// change that nobody is told of. To find the parts that differ takes a few microseconds
// where two states share the memory of what is equal in them, as those of our cache do. A
// Diff takes a hundred times as long, and to keep the states would keep their memory.
type Part [2]string

// Path is the part as a path.
func (p Part) Path() Path { return OfNames(p[:]...) }

// ChangedParts returns the parts in which two states differ, or may differ. It reports
// false where that can't be told.
func ChangedParts(before, after Object) ([]Part, bool) {
	a, b := reflect.ValueOf(before), reflect.ValueOf(after)
	if a.Type() != b.Type() || !SameObject(before, after) {
		return nil, false
	}
	switch x := before.(type) {
	case *metav1.PartialObjectMetadata:
		return nil, SameState(before, after) // the rest can't be seen
	case *unstructuredv1.Unstructured:
		y, ok := after.(*unstructuredv1.Unstructured)
		if !ok {
			return nil, false
		}
		return append(hiddenNoise(before, after), changedKeys(x.Object, y.Object)...), true
	}
	if a.Kind() != reflect.Pointer || a.Elem().Kind() != reflect.Struct {
		return nil, false
	}
	changed := hiddenNoise(before, after)
	fields, ok := partsOf(a.Type().Elem())
	for i := range fields {
		f := &fields[i]
		if !dedup.Equal(a.Elem().FieldByIndex(f.index).Addr().Interface(), b.Elem().FieldByIndex(f.index).Addr().Interface()) {
			changed = append(changed, f.part)
		}
	}
	return changed, ok
}

// hiddenNoise is what differs in any two versions of an object, and is compared nowhere.
func hiddenNoise(before, after Object) []Part {
	if before.GetResourceVersion() == after.GetResourceVersion() {
		return nil
	}
	return []Part{{"metadata", "resourceVersion"}, {"metadata", "managedFields"}}
}

// changedKeys is changedParts for the content of unstructured objects.
func changedKeys(before, after map[string]any) []Part {
	var changed []Part
	eachKey(before, after, func(key string, a, b any) {
		x, isMap := a.(map[string]any)
		y, isToo := b.(map[string]any)
		if !isMap || !isToo || !divided(key) {
			changed = append(changed, Part{key})
			return
		}
		eachKey(x, y, func(below string, _, _ any) {
			if p := (Part{key, below}); !Noise(p.Path()) {
				changed = append(changed, p)
			}
		})
	})
	return changed
}

// eachKey calls f for the keys whose values differ.
func eachKey(before, after map[string]any, f func(key string, before, after any)) {
	for key, a := range before {
		if b, ok := after[key]; !ok || !reflect.DeepEqual(a, b) {
			f(key, a, b)
		}
	}
	for key, b := range after {
		if _, ok := before[key]; !ok {
			f(key, nil, b)
		}
	}
}

// divided names the fields of an object that have parts of their own.
func divided(name string) bool { return name == "metadata" || name == "spec" || name == "status" }

// partField is where a Go type has a part.
type partField struct {
	part  Part
	index []int
}

var knownParts sync.Map // by type: partFields; as many as a program has types of objects

type partFields struct {
	fields []partField
	ok     bool // no field is without a name
}

// partsOf returns where a type has its parts.
func partsOf(t reflect.Type) ([]partField, bool) {
	known, found := knownParts.Load(t)
	if !found {
		_, _, custom := customJSON(t)
		made := partFields{ok: !custom}
		made.collect(t, nil, "")
		known, _ = knownParts.LoadOrStore(t, made)
	}
	all, _ := known.(partFields)
	return all.fields, all.ok
}

// collect adds the fields of t, which is an object or one of its parts.
func (all *partFields) collect(t reflect.Type, index []int, within string) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		at := slices.Concat(index, []int{i})
		inline := field.Anonymous && name == "" || strings.Contains(options, "inline")
		_, _, custom := customJSON(field.Type) // then its JSON does not follow from its fields
		whole := custom || field.Type.Kind() != reflect.Struct
		switch {
		case inline && !whole && (field.Anonymous || field.IsExported()):
			all.collect(field.Type, at, within)
		case !field.IsExported(), name == "", inline:
			all.ok = false
		case within == "" && divided(name) && !whole:
			all.collect(field.Type, at, name)
		default:
			all.add(name, within, at)
		}
	}
}

func (all *partFields) add(name, within string, index []int) {
	p := Part{name}
	if within != "" {
		p = Part{within, name}
	}
	if name != "-" && !Noise(p.Path()) {
		all.fields = append(all.fields, partField{p, index})
	}
}

// Noise reports whether a path is left out unless everything is asked for.
func Noise(p Path) bool {
	return p.Within("metadata", "resourceVersion") || p.Within("metadata", "managedFields") ||
		p.Within("metadata", "selfLink") || p.Within("apiVersion") || p.Within("kind")
}

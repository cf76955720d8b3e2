package footprint

import (
	"reflect"

	"github.com/delta-runtime/delta-runtime/internal/api/dedup"
)

// Of estimates how many bytes v keeps alive.
func Of(v any) int64 {
	w := begin()
	defer w.end()
	return w.value(v, 0)
}

// ByPath divides what [Of] returns by the fields of the object that v is. It calls add with a
// path at least once if it keeps anything alive, and maybe several times with the same one. The
// empty path has what belongs to the object and to none of its fields.
func ByPath(v any, add func(path string, bytes int64)) {
	w := begin()
	defer w.end()
	d := divider{walk: w, add: add}
	object := reflect.ValueOf(v)
	if object.Kind() != reflect.Pointer || object.IsNil() || object.Elem().Kind() != reflect.Struct {
		if content, ok := v.(map[string]any); ok {
			d.content(content, "")
			return
		}
		d.give("", w.value(v, 0))
		return
	}
	w.new(object.UnsafePointer())
	k := dedup.LegibleOf(object.Type().Elem())
	d.give("", whole(k)-k.Size)
	if content, ok := contentOf(v); ok {
		d.give("", k.Size)
		d.content(content, "")
		return
	}
	d.fields(object.Elem(), placeOf(object.Type().Elem(), ""))
}

// contentOf returns what an unstructured object contains.
func contentOf(v any) (map[string]any, bool) {
	if _, ok := v.(interface{ UnstructuredContent() map[string]any }); !ok {
		return nil, false
	}
	s := reflect.ValueOf(v).Elem()
	if s.NumField() != 1 || !s.Field(0).CanInterface() {
		return nil, false
	}
	content, ok := s.Field(0).Interface().(map[string]any)
	return content, ok
}

// divider is a walk that says where the bytes are.
type divider struct {
	*walk

	add func(path string, bytes int64)
}

func (d *divider) give(path string, bytes int64) {
	if bytes > 0 {
		d.add(path, bytes)
	}
}

// fields divides a struct, with the memory that it lies in.
func (d *divider) fields(v reflect.Value, p *place) {
	rest := int64(v.Type().Size())
	for i := range p.fields {
		f := &p.fields[i]
		rest -= f.Size
		d.field(v.Field(f.Index), f)
	}
	d.give(p.path, rest) // between the fields
}

func (d *divider) field(v reflect.Value, f *field) {
	switch {
	case f.below == nil:
		d.give(f.path, f.Size+d.behind(v, f.Legible, 1))
	case v.Kind() == reflect.Struct:
		d.fields(v, f.below)
	case v.IsNil() || !d.new(v.UnsafePointer()):
		d.give(f.path, f.Size)
	default:
		k := dedup.LegibleOf(v.Type().Elem())
		d.give(f.path, f.Size+whole(k)-k.Size)
		d.fields(v.Elem(), f.below)
	}
}

// content divides a part of an unstructured object.
func (d *divider) content(m map[string]any, path string) {
	if m == nil || !d.new(reflect.ValueOf(m).UnsafePointer()) {
		return
	}
	d.give(path, mapBytes(len(m), textHead, anyHead))
	for key, v := range m {
		at := join(path, key)
		d.give(at, text(len(key)))
		if below, ok := v.(map[string]any); ok && path == "" && hasFields(key) {
			d.content(below, at)
			continue
		}
		d.give(at, d.value(v, 1))
	}
}

// hasFields reports whether the keys of such a part of any object are names of fields.
func hasFields(part string) bool { return part == "metadata" || part == "spec" || part == "status" }

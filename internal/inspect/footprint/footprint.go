package footprint

import (
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/delta-runtime/delta-runtime/internal/api/dedup"
)

// Of estimates how many bytes v keeps alive.
func Of(v any) int64 {
	w := begin()
	defer w.end()
	return w.boxed(reflect.ValueOf(v), 0)
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
		d.give("", w.boxed(object, 0))
		return
	}
	w.new(object.UnsafePointer())
	k := dedup.LegibleOf(object.Type().Elem())
	d.give("", whole(k)-k.Size)
	if u, ok := v.(*unstructured.Unstructured); ok {
		d.give("", k.Size)
		d.content(u.Object, "")
		return
	}
	d.fields(object.Elem(), "")
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

// fields divides a struct at a path, with the memory that it lies in.
func (d *divider) fields(v reflect.Value, path string) {
	rest := int64(v.Type().Size())
	for _, f := range dedup.LegibleOf(v.Type()).Fields {
		rest -= f.Size
		d.field(v.Field(f.Index), v.Type().Field(f.Index), path)
	}
	d.give(path, rest) // between the fields
}

func (d *divider) field(v reflect.Value, f reflect.StructField, path string) {
	path, divided := pathOf(&f, path)
	size := int64(f.Type.Size())
	switch {
	case !divided:
		d.give(path, size+d.behind(v, dedup.LegibleOf(f.Type), 1))
	case v.Kind() == reflect.Struct:
		d.fields(v, path)
	case v.IsNil() || !d.new(v.UnsafePointer()):
		d.give(path, size)
	default:
		k := dedup.LegibleOf(f.Type.Elem())
		d.give(path, size+whole(k)-k.Size)
		d.fields(v.Elem(), path)
	}
}

// depth is how many names a path has at most.
const depth = 3

// pathOf returns the path of a field, and whether it is divided further.
func pathOf(f *reflect.StructField, within string) (path string, divided bool) {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	inline := f.Anonymous && name == ""
	switch {
	case name == "-":
		name, inline = "", true
	case name == "" && !inline:
		name = f.Name
	}
	path = join(within, name)
	if f.Type.Kind() == reflect.Pointer && !inline {
		return path, divisible(f.Type.Elem()) && strings.Count(path, ".")+1 < depth
	}
	return path, divisible(f.Type) && (inline || strings.Count(path, ".")+1 < depth)
}

// divisible reports whether the fields of a type are of interest.
func divisible(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if tag := t.Field(i).Tag.Get("json"); tag != "" && tag != "-" {
			return true
		}
	}
	return false
}

func join(path, name string) string {
	if path == "" || name == "" {
		return path + name
	}
	return path + "." + name
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
		d.give(at, d.boxed(reflect.ValueOf(v), 1))
	}
}

// hasFields reports whether the keys of such a part of any object are names of fields.
func hasFields(part string) bool { return part == "metadata" || part == "spec" || part == "status" }

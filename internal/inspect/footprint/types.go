package footprint

import (
	"reflect"
	"strings"
	"sync"

	"github.com/delta-runtime/delta-runtime/internal/api/dedup"
)

// depth is how many names a path has at most.
const depth = 3

// place is a struct that ByPath divides.
type place struct {
	path   string
	fields []field
}

// field is a field of a place.
type field struct {
	dedup.Field

	path  string
	below *place // nil: all of it has the one path
}

type placeKey struct {
	of   reflect.Type
	path string
}

var places sync.Map // placeKey to *place

// placeOf returns how a struct at a path is divided.
func placeOf(t reflect.Type, path string) *place {
	key := placeKey{t, path}
	if known, ok := places.Load(key); ok {
		return known.(*place)
	}
	p := &place{path: path}
	for _, f := range dedup.LegibleOf(t).Fields {
		p.add(t.Field(f.Index), f)
	}
	known, _ := places.LoadOrStore(key, p)
	return known.(*place)
}

func (p *place) add(f reflect.StructField, legible dedup.Field) {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	t := f.Type
	inline := f.Anonymous && name == ""
	switch {
	case name == "-":
		name, inline = "", true
	case name == "" && !inline:
		name = f.Name
	}
	at := field{Field: legible, path: join(p.path, name)}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if divisible(t) && (inline || strings.Count(at.path, ".")+1 < depth) && (f.Type == t || !inline) {
		if inline {
			at.path = p.path
		}
		at.below = placeOf(t, at.path)
	}
	p.fields = append(p.fields, at)
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

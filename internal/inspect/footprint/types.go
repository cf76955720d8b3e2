package footprint

import (
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/api/dedup"
)

// kind has the facts about a Go type.
type kind struct {
	size   int64
	flat   bool   // it leads nowhere that counts
	fields []part // of a struct: those that lead somewhere
}

// part is a field that leads somewhere.
type part struct {
	index int
	*kind
}

var kinds sync.Map // reflect.Type to *kind

var timeType = reflect.TypeFor[time.Time]()

// kindOf returns the facts about a type.
func kindOf(t reflect.Type) *kind {
	if known, ok := kinds.Load(t); ok {
		return known.(*kind)
	}
	// A struct contains itself only behind a pointer, a slice or a map. Their kinds do not ask
	// what they point to, so this ends.
	k := &kind{size: int64(t.Size()), flat: dedup.LegibleOf(t).Foreign}
	switch t.Kind() {
	case reflect.String, reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
	case reflect.Array:
		k.flat = k.flat || t.Len() == 0 || kindOf(t.Elem()).flat
	case reflect.Struct:
		k.fields = partsOf(t)
		k.flat = len(k.fields) == 0
	default: // numbers, and types that are left out
		k.flat = true
	}
	known, _ := kinds.LoadOrStore(t, k)
	return known.(*kind)
}

func partsOf(t reflect.Type) (parts []part) {
	if t == timeType {
		return nil // all times of a zone share it
	}
	for _, i := range dedup.LegibleOf(t).Fields {
		if k := kindOf(t.Field(i).Type); !k.flat {
			parts = append(parts, part{i, k})
		}
	}
	return parts
}

// depth is how many names a path has at most.
const depth = 3

// place is a struct that ByPath divides.
type place struct {
	path   string
	fields []field
}

// field is a field of a place.
type field struct {
	index int
	path  string
	size  int64
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
	for _, i := range dedup.LegibleOf(t).Fields {
		p.add(t.Field(i), i)
	}
	known, _ := places.LoadOrStore(key, p)
	return known.(*place)
}

func (p *place) add(f reflect.StructField, index int) {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	t := f.Type
	inline := f.Anonymous && name == ""
	switch {
	case name == "-":
		name, inline = "", true
	case name == "" && !inline:
		name = f.Name
	}
	at := field{index: index, path: join(p.path, name), size: int64(t.Size())}
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

// divisible reports whether the fields of a type are of interest: a time has none.
func divisible(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || t == timeType {
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

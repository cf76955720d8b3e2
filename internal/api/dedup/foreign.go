package dedup

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
)

var (
	jsonDecoder = reflect.TypeFor[json.Unmarshaler]()
	textDecoder = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// Foreign reports whether values of a type decode themselves, by code that nobody here knows. Such code may keep the
// bytes and the memory that it is given, and what it makes may lead to memory that it has kept: to defaults of its
// package, or to what it writes when it is asked for something. So nobody else may write there, or read it once an
// object is published, or have another object lead there.
func Foreign(t reflect.Type) bool {
	addressed := reflect.PointerTo(t)
	return (addressed.Implements(jsonDecoder) || addressed.Implements(textDecoder)) && !WellKnown(t)
}

// WellKnown reports whether a type is of Go's library, or of the modules that Kubernetes generates decoders in. These
// copy what they keep, and make everything new.
func WellKnown(t reflect.Type) bool {
	path := t.PkgPath()
	return path == "time" || path == "encoding/json" ||
		slices.ContainsFunc(generated, func(module string) bool { return strings.HasPrefix(path, module) })
}

var generated = []string{
	"k8s.io/api/", "k8s.io/apimachinery/", "k8s.io/apiextensions-apiserver/", "k8s.io/kube-aggregator/", "k8s.io/metrics/",
}

// Legible says what of a type's values anybody may read once an object is published, without a lock. All code
// that walks through such objects asks here, and nowhere else. A package may write at any time to the fields that it keeps
// for itself, under a lock of its own, and these may lead to anything.
type Legible struct {
	Size    int64   // of a value
	Foreign bool    // nothing may be read
	Flat    bool    // nothing that may be read is in other memory
	Fields  []Field // of a struct: these may be read
	All     bool    // of a struct: the Fields are all that it has
}

// Field is a field of a struct.
type Field struct {
	Index int
	*Legible
}

// legibles grows with the program's types, by reflect.Type.
var legibles sync.Map

// LegibleOf returns what may be read of a type's values.
func LegibleOf(t reflect.Type) *Legible {
	if known, ok := legibles.Load(t); ok {
		return known.(*Legible)
	}
	// A struct contains itself only behind a pointer, a slice or a map, so this ends.
	l := &Legible{Size: int64(t.Size()), Foreign: Foreign(t)}
	l.Flat = l.Foreign
	switch kind := t.Kind(); {
	case l.Foreign:
	case kind == reflect.Struct:
		l.Flat = true
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() || f.Anonymous && f.Type.Kind() == reflect.Struct { // whose fields are promoted
				below := LegibleOf(f.Type)
				l.Fields, l.Flat = append(l.Fields, Field{i, below}), l.Flat && below.Flat
			}
		}
		l.All = len(l.Fields) == t.NumField()
	case kind == reflect.Array:
		l.Flat = t.Len() == 0 || LegibleOf(t.Elem()).Flat
	default: // numbers, and what nobody may read, as functions and channels
		l.Flat = !slices.Contains([]reflect.Kind{reflect.String, reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface}, kind)
	}
	known, _ := legibles.LoadOrStore(t, l)
	return known.(*Legible)
}

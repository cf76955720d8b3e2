package dedup

import (
	"reflect"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A Layout says what a value of a type consists of, in the order of memory.
type Layout struct {
	Type  reflect.Type
	Size  uintptr
	parts []part

	typeMeta int // how many of the parts are the TypeMeta that the value begins with
}

// isPlain says that values are equal if all their bytes are.
func (l *Layout) isPlain() bool {
	return len(l.parts) == 1 && l.parts[0].kind == plain && l.parts[0].size == l.Size
}

// A part is one thing to look at in a value.
type part struct {
	kind   partKind
	offset uintptr  // within the value
	size   uintptr  // of a plain part
	elem   *Layout  // of what a pointer or slice leads to
	equal  equality // of opaque parts and maps
}

// An equality compares what two pointers lead to. A map of JSON it matches.
type equality func(a, b unsafe.Pointer, in scope) bool

type partKind uint8

const (
	plain   partKind = iota + 1 // equal if its bytes are
	text                        // a string
	pointer                     // to elem
	list                        // a slice of elem
	mapping                     // shared as a whole if equal
	dynamic                     // an any
	closed                      // equal if there is nothing in it
	opaque                      // a struct in which nothing can be shared
)

var anyType = reflect.TypeFor[any]()

// maker makes the layout of a type.
type maker struct {
	layout *Layout
	met    map[reflect.Type]*Layout // of all types met on the way, which may be within themselves
}

func newLayout(t reflect.Type, met map[reflect.Type]*Layout) *Layout {
	if l, ok := met[t]; ok {
		return l
	}
	if l, ok := layouts.Load(t); ok {
		return l.(*Layout)
	}
	l := &Layout{Type: t, Size: t.Size()}
	met[t] = l
	m := &maker{layout: l, met: met}
	m.add(t, 0)
	return l
}

// add adds what is of type t at an offset.
func (m *maker) add(t reflect.Type, offset uintptr) {
	p := part{offset: offset, size: t.Size()}
	if LegibleOf(t).Foreign {
		p.kind, p.equal = opaque, differ
		m.layout.parts = append(m.layout.parts, p)
		return
	}
	switch t.Kind() {
	case reflect.String:
		p.kind = text
	case reflect.Pointer:
		p.kind, p.elem = pointer, newLayout(t.Elem(), m.met)
	case reflect.Slice:
		p.kind, p.elem = list, newLayout(t.Elem(), m.met)
	case reflect.Map:
		p.kind, p.equal = mapping, m.equalMaps(t)
	case reflect.Interface:
		p.kind = closed
		if t == anyType {
			p.kind = dynamic
		}
	case reflect.Struct:
		m.structure(t, offset)
		return
	case reflect.Array:
		for i := range t.Len() {
			m.add(t.Elem(), offset+uintptr(i)*t.Elem().Size())
		}
		return
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		p.kind = closed
	default: // booleans and numbers
		m.plain(p)
		return
	}
	m.layout.parts = append(m.layout.parts, p)
}

// plain joins what has no gap in between.
func (m *maker) plain(p part) {
	p.kind = plain
	if n := len(m.layout.parts); n > 0 {
		if last := &m.layout.parts[n-1]; last.kind == plain && last.offset+last.size == p.offset {
			last.size += p.size
			return
		}
	}
	m.layout.parts = append(m.layout.parts, p)
}

func (m *maker) structure(t reflect.Type, offset uintptr) {
	if equal := equalStructs(t); equal != nil {
		m.layout.parts = append(m.layout.parts, part{kind: opaque, offset: offset, equal: equal})
		return
	}
	for i := range t.NumField() {
		field := t.Field(i)
		m.add(field.Type, offset+field.Offset)
		if i == 0 && t == m.layout.Type && field.Type == reflect.TypeFor[metav1.TypeMeta]() {
			m.layout.typeMeta = len(m.layout.parts)
		}
	}
}

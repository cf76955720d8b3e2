package dedup

import (
	"reflect"
	"sync"
	"unsafe"
)

// Against has obj share with like whatever is equal in both. They are pointers to one
// Go type, or nothing is shared. The value of obj stays what it is. All that can be
// reached from obj is the caller's to change.
func Against(obj, like any) {
	if a, b := reflect.ValueOf(obj), reflect.ValueOf(like); matchable(a, b) {
		LayoutOf(a.Type().Elem()).match(a.UnsafePointer(), b.UnsafePointer(), scope{change: true})
	}
}

// Equal reports whether two objects are equal that anybody may have. What nobody may read is taken to differ, unless it is
// one in memory: see [Legible]. Only the pointers to two values of one type can be equal.
func Equal(a, b any) bool { return equal(a, b, scope{}) }

// EqualObjects is Equal for whole objects of the API, whatever their TypeMeta says, and in whichever zone their times
// are. A server sends the type with each custom resource of a list, and a client takes it out of each event. A decoder
// or a transform chooses the zone.
func EqualObjects(a, b any) bool { return equal(a, b, scope{objects: true}) }

func equal(a, b any, in scope) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	if !matchable(x, y) {
		return x.IsValid() && y.IsValid() && x.Kind() == reflect.Pointer && x.Type() == y.Type() && x.UnsafePointer() == y.UnsafePointer()
	}
	l := LayoutOf(x.Type().Elem())
	parts := l.parts
	if in.objects {
		parts = parts[l.typeMeta:]
	}
	return match(parts, x.UnsafePointer(), y.UnsafePointer(), in)
}

// matchable reports whether two values are pointers to two values of one type.
func matchable(a, b reflect.Value) bool {
	return a.IsValid() && b.IsValid() && a.Type() == b.Type() && a.Kind() == reflect.Pointer && !a.IsNil() && !b.IsNil() && a.UnsafePointer() != b.UnsafePointer()
}

// layouts has the layout of each type met so far, by reflect.Type. It grows with the
// program's types, not with its objects.
var layouts sync.Map

// LayoutOf returns the layout of a type.
func LayoutOf(t reflect.Type) *Layout {
	if l, ok := layouts.Load(t); ok {
		return l.(*Layout)
	}
	met := map[reflect.Type]*Layout{}
	made := newLayout(t, met)
	for of, l := range met { // all of them are whole now
		layouts.Store(of, l)
	}
	return made
}

// Equal reports whether two values of the type are equal.
func (l *Layout) Equal(a, b unsafe.Pointer) bool { return l.match(a, b, scope{}) }

// AllEqual reports whether n values of the type that follow each other are equal to n others.
func (l *Layout) AllEqual(a, b unsafe.Pointer, n int) bool {
	for i := range uintptr(n) {
		if !l.Equal(unsafe.Add(a, i*l.Size), unsafe.Add(b, i*l.Size)) {
			return false
		}
	}
	return true
}

// Share has a value of the type share with another one whatever is equal in both, as Against does.
func (l *Layout) Share(value, like unsafe.Pointer) { l.match(value, like, scope{change: true}) }

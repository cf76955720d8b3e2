package dedup

import (
	"reflect"
	"sync"
)

// Against has obj share with like whatever is equal in both. They are pointers to one
// Go type, or nothing is shared. The value of obj stays what it is. All that can be
// reached from obj is the caller's to change.
func Against(obj, like any) { share(obj, like, everything) }

// OnSurface is Against for an object that may have parts that are somebody else's: what
// is changed are the fields of obj itself, and not what is behind its pointers.
func OnSurface(obj, like any) { share(obj, like, surface) }

func share(obj, like any, change extent) {
	a, b := reflect.ValueOf(obj), reflect.ValueOf(like)
	if !a.IsValid() || !b.IsValid() || a.Type() != b.Type() || a.Kind() != reflect.Pointer || a.IsNil() || b.IsNil() || a.UnsafePointer() == b.UnsafePointer() {
		return
	}
	layoutOf(a.Type().Elem()).match(a.UnsafePointer(), b.UnsafePointer(), scope{change, 0})
}

// layouts has the layout of each type met so far, by reflect.Type. It grows with the
// program's types, not with its objects.
var layouts sync.Map

func layoutOf(t reflect.Type) *layout {
	if l, ok := layouts.Load(t); ok {
		return l.(*layout)
	}
	l, _ := layouts.LoadOrStore(t, newLayout(t, map[reflect.Type]*layout{}))
	return l.(*layout)
}

package store

import (
	"reflect"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Traits are what the core must know of a T. They let packages store and engine be generic
// without an interface that every T would have to satisfy. The functions only read, and any
// goroutine may call them.
type Traits[T any] struct {
	// Key names the object. An error means the object cannot be kept.
	Key func(T) (delta.Key, error)
	// Version is the object's resource version: equal versions of one UID are the
	// same state. Empty means unknown, which is equal to nothing.
	Version func(T) string
	// UID tells an object from another one that was created under its name after it was
	// deleted. Empty means unknown. An unknown UID equals every other.
	UID func(T) string
	// Labels are the object's labels.
	Labels func(T) map[string]string
	// Detach returns the object outside of the list that it came in. The object may be part
	// of the list's memory. Nil if it never is.
	Detach func(T) T
	// Equal reports whether two objects are equal. Others may have one or both. What nobody may read differs. Nil
	// stands for reflect.DeepEqual, which is for types that nothing writes to.
	Equal func(a, b T) bool
}

// SameContent reports whether a and b are equal.
func (t *Traits[T]) SameContent(a, b T) bool {
	if t.Equal == nil {
		return reflect.DeepEqual(a, b)
	}
	return t.Equal(a, b)
}

// SameState reports whether a and b are one object in one state. Then to replace one by the
// other changes nothing.
func (t *Traits[T]) SameState(a, b T) bool {
	v := t.Version(a)
	return v != "" && v == t.Version(b) && t.UID(a) == t.UID(b)
}

package dedup

import (
	"bytes"
	"maps"
	"reflect"
	"time"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// equalStructs returns how structs of a type are compared as a whole, because they
// have fields that only their own package may set; nil if they have none. Such a package may set them at any time, as
// a cache of what a method returns. A time does not. A quantity does, unless it is an entry of a map: nobody has the
// address of one, to write there.
func equalStructs(t reflect.Type) equality {
	switch t {
	case reflect.TypeFor[time.Time]():
		return func(a, b unsafe.Pointer, in scope) bool {
			x, y := *(*time.Time)(a), *(*time.Time)(b)
			return x == y || in.objects && x.Equal(y) //nolint:staticcheck // otherwise the zone counts, too
		}
	case reflect.TypeFor[resource.Quantity]():
		return func(a, b unsafe.Pointer, in scope) bool {
			return in.copied && *(*resource.Quantity)(a) == *(*resource.Quantity)(b)
		}
	}
	if !LegibleOf(t).All {
		return differ
	}
	return nil
}

// differ takes no two values to be equal.
func differ(_, _ unsafe.Pointer, _ scope) bool { return false }

// equalMaps returns how maps of a type are compared that are both there.
func (m *maker) equalMaps(t reflect.Type) equality {
	switch t {
	case reflect.TypeFor[map[string]string]():
		return equalEntries[string, string]
	case reflect.TypeFor[corev1.ResourceList]():
		return equalEntries[corev1.ResourceName, resource.Quantity]
	case reflect.TypeFor[map[string][]byte]():
		return func(a, b unsafe.Pointer, _ scope) bool {
			return maps.EqualFunc(*(*map[string][]byte)(a), *(*map[string][]byte)(b), func(a, b []byte) bool {
				return (a == nil) == (b == nil) && bytes.Equal(a, b)
			})
		}
	case reflect.TypeFor[map[string]any]():
		return func(a, b unsafe.Pointer, in scope) bool {
			return matchObject(*(*map[string]any)(a), *(*map[string]any)(b), in)
		}
	}
	if t.Key().Kind() != reflect.String {
		return differ
	}
	elem := newLayout(t.Elem(), m.met)
	return func(a, b unsafe.Pointer, in scope) bool {
		return elem.matchEntries(reflect.NewAt(t, a).Elem(), reflect.NewAt(t, b).Elem(), in.only())
	}
}

func equalEntries[K, V comparable](a, b unsafe.Pointer, _ scope) bool {
	return maps.Equal(*(*map[K]V)(a), *(*map[K]V)(b))
}

// matchEntries compares two maps whose values have the layout. A value in a map has no address, so it is copied.
func (l *Layout) matchEntries(a, b reflect.Value, in scope) bool {
	if a.Len() != b.Len() {
		return false
	}
	in.copied = true
	x, y := reflect.New(l.Type), reflect.New(l.Type)
	for entries := a.MapRange(); entries.Next(); {
		other := b.MapIndex(entries.Key())
		if !other.IsValid() {
			return false
		}
		x.Elem().Set(entries.Value())
		y.Elem().Set(other)
		if !l.match(x.UnsafePointer(), y.UnsafePointer(), in) {
			return false
		}
	}
	return true
}

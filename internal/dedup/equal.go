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
// have fields that only their own package may set; nil if they have none. == takes
// pointers to be equal if they are the same.
func equalStructs(t reflect.Type) equality {
	switch t {
	case reflect.TypeFor[time.Time]():
		return equalByOperator[time.Time]
	case reflect.TypeFor[resource.Quantity]():
		return equalByOperator[resource.Quantity]
	}
	exported := true
	for i := range t.NumField() {
		exported = exported && t.Field(i).IsExported()
	}
	switch {
	case exported:
		return nil
	case !t.Comparable() || holdsInterface(t):
		return func(_, _ unsafe.Pointer, _ scope) bool { return false }
	default:
		return func(a, b unsafe.Pointer, _ scope) bool {
			return reflect.NewAt(t, a).Elem().Equal(reflect.NewAt(t, b).Elem())
		}
	}
}

func equalByOperator[T comparable](a, b unsafe.Pointer, _ scope) bool { return *(*T)(a) == *(*T)(b) }

// holdsInterface reports whether == of a comparable type may panic.
func holdsInterface(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Array:
		return holdsInterface(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if holdsInterface(t.Field(i).Type) {
				return true
			}
		}
	default:
	}
	return false
}

// equalMaps returns how maps of a type are compared that are both there.
func equalMaps(t reflect.Type) equality {
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
	default:
		return func(a, b unsafe.Pointer, _ scope) bool {
			return reflect.DeepEqual(reflect.NewAt(t, a).Elem().Interface(), reflect.NewAt(t, b).Elem().Interface())
		}
	}
}

func equalEntries[K, V comparable](a, b unsafe.Pointer, _ scope) bool {
	return maps.Equal(*(*map[K]V)(a), *(*map[K]V)(b))
}

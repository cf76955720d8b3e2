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
	case !t.Comparable() || holdsInterface(t) || holdsFloat(t, map[reflect.Type]bool{}):
		return differ
	default:
		return func(a, b unsafe.Pointer, _ scope) bool {
			return reflect.NewAt(t, a).Elem().Equal(reflect.NewAt(t, b).Elem())
		}
	}
}

// differ takes no two values to be equal.
func differ(_, _ unsafe.Pointer, _ scope) bool { return false }

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

// holdsFloat reports whether a value of the type may hold a floating-point number. The
// operator == and reflect.DeepEqual take 0.0 and -0.0 for equal, which they are not.
// The map seen has the types that were looked at, because a type may refer to itself.
func holdsFloat(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128, reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return holdsFloat(t.Elem(), seen)
	case reflect.Map:
		return holdsFloat(t.Key(), seen) || holdsFloat(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if holdsFloat(t.Field(i).Type, seen) {
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
			m := (*map[string]any)(a)
			if in.change == copies {
				copied, same := copyJSON(*m, *(*map[string]any)(b), in)
				*m, _ = copied.(map[string]any)
				return same
			}
			return matchObject(*m, *(*map[string]any)(b), in)
		}
	default:
		if holdsFloat(t, map[reflect.Type]bool{}) {
			return differ
		}
		return func(a, b unsafe.Pointer, _ scope) bool {
			return reflect.DeepEqual(reflect.NewAt(t, a).Elem().Interface(), reflect.NewAt(t, b).Elem().Interface())
		}
	}
}

func equalEntries[K, V comparable](a, b unsafe.Pointer, _ scope) bool {
	return maps.Equal(*(*map[K]V)(a), *(*map[K]V)(b))
}

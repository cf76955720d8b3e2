package objects

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/delta-runtime/delta-runtime/internal/dedup"
	"github.com/delta-runtime/delta-runtime/internal/path"
)

// IsNil reports whether a value is nil. It also sees a nil pointer in an interface, which
// is what a nil of a concrete type becomes on its way through a constructor.
func IsNil(v any) bool {
	value := reflect.ValueOf(v)
	switch value.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Map, reflect.Func, reflect.Slice, reflect.Chan:
		return value.IsNil()
	default:
		return false
	}
}

// SameState reports whether two objects show one state of one object. Of objects without a
// resource version it is known only if they are one object in memory.
func SameState(before, after path.Object) bool {
	// Some servers change objects without giving them new versions.
	return before == after || path.SameVersion(before, after) && dedup.EqualObjects(before, after)
}

// Untyped reports whether the Go type does not say what the object has.
func Untyped(obj path.Object) bool {
	switch obj.(type) {
	case runtime.Unstructured, *metav1.PartialObjectMetadata:
		return true
	default:
		return false
	}
}

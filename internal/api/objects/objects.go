package objects

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
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

// Untyped reports whether the Go type does not say what the object has.
func Untyped(obj path.Object) bool {
	switch obj.(type) {
	case runtime.Unstructured, *metav1.PartialObjectMetadata:
		return true
	default:
		return false
	}
}

package states

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/delta-runtime/delta-runtime/internal/dedup"
)

// Object is any API object: typed, unstructured, or metadata alone.
type Object interface {
	metav1.Object
	runtime.Object
}

// Present returns the object, or nil if it is a nil pointer in an interface.
func Present(obj Object) Object {
	if v := reflect.ValueOf(obj); v.Kind() == reflect.Pointer && v.IsNil() {
		return nil
	}
	return obj
}

// SameObject reports whether a and b are states of one object. It is false if b has taken
// the place and the name of a. An object without a UID passes for any object.
func SameObject(a, b Object) bool {
	x, y := a.GetUID(), b.GetUID()
	return x == y || x == "" || y == ""
}

// Same reports whether a and b are one state of one object. Two objects without a version
// are one state only if they are one in memory. The version alone does not decide: some
// servers change objects without giving them new versions.
func Same(a, b Object) bool {
	switch {
	case a == nil || b == nil:
		return a == nil && b == nil
	case Identical(a, b):
		return true
	default:
		return SameVersion(a, b) && (reflect.TypeOf(a) != reflect.TypeOf(b) || dedup.Equal(a, b))
	}
}

// SameVersion reports whether a and b have one UID and one version that is known.
func SameVersion(a, b Object) bool {
	return a.GetResourceVersion() != "" && a.GetResourceVersion() == b.GetResourceVersion() && a.GetUID() == b.GetUID()
}

// Identical reports whether a and b are one object in memory.
func Identical(a, b Object) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	return x.Kind() == reflect.Pointer && y.Kind() == reflect.Pointer && x.Type() == y.Type() && x.UnsafePointer() == y.UnsafePointer()
}

package path

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/delta-runtime/delta-runtime/internal/api/dedup"
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

// Shallow returns a copy of what a pointer leads to. The two share what is below.
func Shallow[T any](obj T) T {
	v := reflect.ValueOf(obj).Elem()
	clone := reflect.New(v.Type())
	clone.Elem().Set(v)
	return clone.Interface().(T) //nolint:forcetypeassert // it has the type of obj
}

// SameObject reports whether a and b are states of one object. It is false if b has taken
// the place and the name of a. An object without a UID passes for any object.
func SameObject(a, b Object) bool {
	x, y := a.GetUID(), b.GetUID()
	return x == y || x == "" || y == ""
}

// SameState reports whether a and b are one state of one object. Two objects without a version
// are one state only if they are one in memory. The version alone does not decide: some
// servers change objects without giving them new versions.
func SameState(a, b Object) bool {
	switch {
	case a == nil || b == nil:
		return a == nil && b == nil
	case Identical(a, b):
		return true
	default:
		return SameVersion(a, b) && (reflect.TypeOf(a) != reflect.TypeOf(b) || dedup.EqualObjects(a, b))
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

// LastWrite returns the entry of the managed fields that was written last. It returns nil where
// they do not tell: they were stripped, several wrote in the same second, or one left no time.
func LastWrite(obj metav1.Object) *metav1.ManagedFieldsEntry {
	latest, timed := LatestWrites(obj)
	if !timed || len(latest) != 1 {
		return nil
	}
	return &latest[0]
}

// LatestWrites returns the entries of the newest second, and whether every entry has a
// time. Who scales a custom resource leaves none, and may have been the last as well.
func LatestWrites(obj metav1.Object) (latest []metav1.ManagedFieldsEntry, timed bool) {
	timed = true
	for _, entry := range obj.GetManagedFields() {
		switch {
		case entry.Time == nil:
			timed = false
		case len(latest) == 0 || entry.Time.After(latest[0].Time.Time):
			latest = append(latest[:0], entry)
		case entry.Time.Equal(latest[0].Time):
			latest = append(latest, entry)
		}
	}
	return latest, timed
}

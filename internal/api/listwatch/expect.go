package listwatch

import (
	"errors"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Reader makes events of what somebody has decoded. It says what the objects must be.
type Reader struct {
	goType reflect.Type            // nil is any
	kind   schema.GroupVersionKind // of unstructured objects; empty is any
}

// Kind names what the objects of an example are, for people.
func Kind(example any) string { return Expecting(example).String() }

// Expecting returns a Reader of events with objects like the example. Nil is like anything.
func Expecting(example any) Reader {
	r := Reader{goType: reflect.TypeOf(example)}
	if obj, ok := example.(*unstructured.Unstructured); ok {
		r.kind = obj.GroupVersionKind()
	}
	return r
}

func (r Reader) check(obj runtime.Object) error {
	if got := reflect.TypeOf(obj); r.goType != nil && got != r.goType {
		return fmt.Errorf("object is a %v, not a %v", got, r.goType)
	}
	if !r.kind.Empty() && obj.GetObjectKind().GroupVersionKind() != r.kind {
		return fmt.Errorf("object is a %v, not a %v", obj.GetObjectKind().GroupVersionKind(), r.kind)
	}
	if isTable(obj) {
		return ErrTable
	}
	return nil
}

// String is the kind for people: that of unstructured objects where it is known,
// else the Go type.
func (r Reader) String() string {
	switch {
	case r.goType == nil:
		return "<unspecified>"
	case !r.kind.Empty():
		return r.kind.String()
	}
	return r.goType.String()
}

// ErrTable is what a client gets that accepts tables: kubectl's form of a list. No store
// can be made of that.
var ErrTable = errors.New("server answered with a Table: the client's Accept header asks for one")

// isTable looks at unstructured objects only, because a typed client cannot
// decode a Table into anything else.
func isTable(obj runtime.Object) bool {
	switch obj.(type) {
	case *unstructured.Unstructured, *unstructured.UnstructuredList:
	default:
		return false
	}
	gvk := obj.GetObjectKind().GroupVersionKind()
	return gvk.Kind == "Table" && gvk.Group == metav1.GroupName &&
		(gvk.Version == "v1" || gvk.Version == "v1beta1")
}

// ErrNoList is what a list of a kind fails with that a server has, and can't list.
var ErrNoList = errors.New("the server can't list it")

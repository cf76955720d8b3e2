package cache

import (
	"fmt"
	"reflect"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// deepCopy fills out, a pointer to the same type as obj, with a private copy of it.
func deepCopy(obj, out runtime.Object) error {
	switch from := obj.(type) {
	case *unstructured.Unstructured:
		if to, ok := out.(*unstructured.Unstructured); ok {
			to.Object = runtime.DeepCopyJSON(from.Object)
			return nil
		}
	case *metav1.PartialObjectMetadata:
		if to, ok := out.(*metav1.PartialObjectMetadata); ok {
			from.DeepCopyInto(to)
			return nil
		}
	}
	from, to := reflect.ValueOf(obj), reflect.ValueOf(out)
	if from.Type() != to.Type() {
		return errOtherType(from.Type(), to.Type())
	}
	return copierOf(from.Type()).fill(from, to)
}

// share makes out a shallow copy of obj.
func share(obj, out runtime.Object) error {
	from, to := reflect.ValueOf(obj), reflect.ValueOf(out)
	if from.Type() != to.Type() {
		return errOtherType(from.Type(), to.Type())
	}
	to.Elem().Set(from.Elem())
	return nil
}

func errOtherType(held, asked reflect.Type) error {
	return fmt.Errorf("cache had type %s, but %s was asked for", held, asked)
}

// copier makes private copies of the objects of one Go type.
type copier struct {
	// into is the type's DeepCopyInto. It writes into memory that is there
	// already, where DeepCopyObject would make some that is thrown away once the
	// result is where it was wanted. One that somebody wrote by hand may leave what is
	// in that memory, or follow its pointers. The zero Value where there is no such method.
	into reflect.Value
}

// copiers has the copier of each type met so far, by reflect.Type. It grows with
// the program's types, not with its objects.
var copiers sync.Map

func copierOf(t reflect.Type) *copier {
	if c, ok := copiers.Load(t); ok {
		return c.(*copier)
	}
	c := new(copier)
	// A promoted method copies the embedded part alone; its signature tells.
	if m, ok := t.MethodByName("DeepCopyInto"); ok && m.Type == reflect.FuncOf([]reflect.Type{t, t}, nil, false) {
		c.into = m.Func
	}
	known, _ := copiers.LoadOrStore(t, c)
	return known.(*copier)
}

// fill makes *to a private copy of *from. Both are pointers to the copier's type.
func (c *copier) fill(from, to reflect.Value) error {
	// The cache's own object is not emptied before it is copied. A caller may read into it by mistake.
	if c.into.IsValid() && from.UnsafePointer() != to.UnsafePointer() {
		to.Elem().SetZero() // as what was in it may belong to the cache, too
		c.into.Call([]reflect.Value{from, to})
		return nil
	}
	copied := reflect.ValueOf(from.Interface().(runtime.Object).DeepCopyObject())
	if copied.Type() != to.Type() {
		return errOtherType(copied.Type(), to.Type())
	}
	to.Elem().Set(copied.Elem())
	return nil
}

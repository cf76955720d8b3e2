package cache

import (
	"fmt"
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/api/objects"
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

// lister fills lists with objects of one kind.
type lister struct {
	gvk schema.GroupVersionKind
	// private reports whether an object of a namespace is to be copied; nil if
	// none is.
	private func(namespace string) bool
}

// fill makes objs the Items of out.
func (l *lister) fill(out client.ObjectList, objs []any) error {
	if to, ok := out.(*unstructured.UnstructuredList); ok && l.fillUnstructured(to, objs) {
		return nil
	}
	if items, ok := itemsOf(out, objs); ok {
		return l.fillItems(items, objs)
	}
	return l.fillUnusual(out, objs)
}

// copies reports whether obj is to be copied.
func (l *lister) copies(obj any) bool {
	if l.private == nil {
		return false
	}
	key, _ := objects.Key(obj) // of what has no metadata it is empty
	return l.private(key.Namespace)
}

// fillUnstructured reports whether it could: whether all objects are of the type
// that the list is for.
func (l *lister) fillUnstructured(out *unstructured.UnstructuredList, objs []any) bool {
	items := make([]unstructured.Unstructured, len(objs))
	for i, obj := range objs {
		from, ok := obj.(*unstructured.Unstructured)
		if !ok {
			return false
		}
		if !l.copies(from) {
			items[i] = *from
			continue
		}
		items[i].Object = runtime.DeepCopyJSON(from.Object)
		items[i].SetGroupVersionKind(l.gvk)
	}
	out.Items = items
	return true
}

var objectType = reflect.TypeFor[runtime.Object]()

// itemsOf returns the Items of a list that is an ordinary struct, whose elements
// are the objects or pointers to them.
func itemsOf(out client.ObjectList, objs []any) (items reflect.Value, ok bool) {
	list := reflect.ValueOf(out)
	if list.Kind() != reflect.Pointer || list.Elem().Kind() != reflect.Struct {
		return items, false
	}
	field, ok := list.Elem().Type().FieldByName("Items")
	if !ok || len(field.Index) != 1 || field.Type.Kind() != reflect.Slice {
		return items, false
	}
	element := field.Type.Elem()
	if element.Kind() == reflect.Struct {
		element = reflect.PointerTo(element)
	}
	if element.Kind() != reflect.Pointer || !element.Implements(objectType) {
		return items, false
	}
	for _, obj := range objs {
		if reflect.TypeOf(obj) != element {
			return items, false
		}
	}
	return list.Elem().FieldByIndex(field.Index), true
}

// fillItems makes the slice once and copies into its elements.
func (l *lister) fillItems(items reflect.Value, objs []any) error {
	filled := reflect.MakeSlice(items.Type(), len(objs), len(objs))
	pointers := items.Type().Elem().Kind() == reflect.Pointer
	var c *copier
	for i, obj := range objs {
		from, to := reflect.ValueOf(obj), filled.Index(i)
		if !l.copies(obj) {
			if pointers {
				to.Set(from)
			} else {
				to.Set(from.Elem())
			}
			continue
		}
		if pointers {
			to.Set(reflect.New(from.Type().Elem()))
		} else {
			to = to.Addr()
		}
		if c == nil {
			c = copierOf(from.Type())
		}
		if err := c.fill(from, to); err != nil {
			return err
		}
		to.Interface().(runtime.Object).GetObjectKind().SetGroupVersionKind(l.gvk)
	}
	items.Set(filled)
	return nil
}

// fillUnusual leaves it to apimachinery to find out what the list is made of.
func (l *lister) fillUnusual(out client.ObjectList, objs []any) error {
	filled := make([]runtime.Object, len(objs))
	for i, obj := range objs {
		object, ok := obj.(runtime.Object)
		if !ok {
			return errNoObject(obj)
		}
		if l.copies(obj) {
			object = object.DeepCopyObject()
			object.GetObjectKind().SetGroupVersionKind(l.gvk)
		}
		filled[i] = object
	}
	return meta.SetList(out, filled)
}

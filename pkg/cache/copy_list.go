package cache

import (
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/api/objects"
)

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

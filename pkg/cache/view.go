package cache

import (
	"fmt"
	"iter"
	"reflect"

	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// View is what the cache holds of one kind at one moment, read without copying.
// Everything read from it belongs together, however long it takes and whatever
// changes meanwhile.
//
// The objects are shared with everybody else who reads them: they must not be
// changed. Any number of goroutines may use a View. Release it when done.
type View[T client.Object] struct {
	of   *reader
	view *store.View[any]
}

// newView returns a view of what the reader reads. T is the type of the objects in
// the store, or an interface that they implement.
func newView[T client.Object](r *reader) (*View[T], error) {
	wanted, held := reflect.TypeFor[T](), reflect.TypeOf(r.holds)
	if !held.AssignableTo(wanted) {
		return nil, fmt.Errorf("view %s as %s: the cache holds it as %s", r.gvk.Kind, wanted, held)
	}
	if err := r.syncedEverywhere(); err != nil {
		return nil, fmt.Errorf("view %s: %w", r.gvk.Kind, err)
	}
	return &View[T]{of: r, view: r.store.View()}, nil
}

// Release ends the view, which must not be read afterwards. It may be called more
// than once.
func (v *View[T]) Release() { v.view.Release() }

// Len returns the number of objects.
func (v *View[T]) Len() int { return v.view.Len() }

// Version returns the resource version that the view shows.
func (v *View[T]) Version() string { return v.view.Version() }

// Get returns the object of a key. The namespace of a kind that has none is
// ignored.
func (v *View[T]) Get(key client.ObjectKey) (T, bool) {
	key.Namespace = v.of.namespace(key.Namespace)
	obj, _ := v.view.Get(delta.Key(key))
	object, ok := obj.(T)
	return object, ok
}

// List returns the objects of a namespace, or of all if it is empty, whose labels
// match, in no order. The selector may be nil.
func (v *View[T]) List(namespace string, selector labels.Selector) []T {
	return typedAs[T](v.view.Select(namespace, selector))
}

// ByField returns the objects of all namespaces that have a value in an indexed
// field, in no order.
func (v *View[T]) ByField(field, value string) ([]T, error) {
	objs, err := v.view.ByIndex(fieldIndexName(field), fieldIndexValue("", value))
	if err != nil {
		return nil, fmt.Errorf("view %s by field: %w", v.of.gvk.Kind, err)
	}
	return typedAs[T](objs), nil
}

// All returns all objects in the order of their keys, by namespace and then by
// name. The first call on a view sorts the keys.
func (v *View[T]) All() iter.Seq2[client.ObjectKey, T] {
	return func(yield func(client.ObjectKey, T) bool) {
		for key, obj := range v.view.Ascend() {
			if object, ok := obj.(T); ok && !yield(client.ObjectKey(key), object) {
				return
			}
		}
	}
}

// typedAs leaves out what a transform has turned into something else.
func typedAs[T client.Object](objs []any) []T {
	typed := make([]T, 0, len(objs))
	for _, obj := range objs {
		if object, ok := obj.(T); ok {
			typed = append(typed, object)
		}
	}
	return typed
}

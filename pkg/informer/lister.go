package informer

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Lister reads an informer's store, and refuses to answer before the first list is
// in it: "not found" and "none" must mean what they say. What it returns is shared
// and must not be changed.
type Lister[T any] struct {
	informer *Informer[T]
}

// Lister returns a reader of the informer's store.
func (i *Informer[T]) Lister() Lister[T] { return Lister[T]{i} }

// Get returns one object. Where there is none the error is one that
// apierrors.IsNotFound recognises.
func (l Lister[T]) Get(namespace, name string) (T, error) {
	key := delta.Key{Namespace: namespace, Name: name}
	var none T
	if err := l.check(); err != nil {
		return none, fmt.Errorf("get %s: %w", key, err)
	}
	obj, ok := l.informer.store.Get(key)
	if !ok {
		return none, apierrors.NewNotFound(schema.GroupResource{Resource: l.informer.opts.Name}, key.String())
	}
	return obj, nil
}

// List returns the objects of a namespace, or of all where it is empty, that the
// selector matches, in no particular order.
func (l Lister[T]) List(namespace string, selector labels.Selector) ([]T, error) {
	if err := l.check(); err != nil {
		return nil, fmt.Errorf("list namespace %q: %w", namespace, err)
	}
	return l.informer.store.Select(namespace, selector), nil
}

func (l Lister[T]) check() error {
	if l.informer.HasSynced() {
		return nil
	}
	return fmt.Errorf("%s: %w: %s", l.informer.opts.Name, ErrNotSynced, l.informer.reflector.Status().Why())
}

package engine

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Lister reads an informer's store, and refuses to answer before the first list is
// in it: "not found" and "none" must mean what they say. The objects that it returns are
// shared and must not be changed.
type Lister[T any] struct {
	informer *Informer[T]
}

// Lister returns a reader of the informer's store.
func (i *Informer[T]) Lister() Lister[T] { return Lister[T]{i} }

// Get returns one object. Where there is none the error is one that
// apierrors.IsNotFound recognises.
func (l Lister[T]) Get(namespace, name string) (T, error) {
	key := delta.Key{Namespace: namespace, Name: name}
	var obj T
	var there bool
	err := l.informer.read(
		func(c *coverage[T]) error { return l.informer.syncedIn(c, namespace) },
		func() { obj, there = l.informer.store.Get(key) })
	switch {
	case err != nil:
		return obj, fmt.Errorf("get %s: %w", key, err)
	case !there:
		return obj, apierrors.NewNotFound(schema.GroupResource{Resource: l.informer.opts.Name}, key.String())
	}
	return obj, nil
}

// List returns the objects of a namespace that the selector matches, in no
// particular order. The empty namespace is all that the informer's scopes have.
func (l Lister[T]) List(namespace string, selector labels.Selector) (objs []T, err error) {
	err = l.informer.read(
		func(c *coverage[T]) error {
			if namespace == "" {
				return l.informer.syncedEverywhere(c)
			}
			return l.informer.syncedIn(c, namespace)
		},
		func() { objs = l.informer.store.Select(namespace, selector) })
	if err != nil {
		return nil, fmt.Errorf("list namespace %q: %w", namespace, err)
	}
	return objs, nil
}

// read reads the store where check allows it. The objects of a scope that is
// removed leave the store after the scope has left the coverage, so what was read
// is good where that is the same before and after.
func (i *Informer[T]) read(check func(*coverage[T]) error, from func()) error {
	for {
		c := i.coverage.Load()
		if err := check(c); err != nil {
			return err
		}
		from()
		if i.coverage.Load() == c {
			return nil
		}
	}
}

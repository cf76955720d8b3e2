package informer

import (
	"iter"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/store"
)

// inStore shows the store to the queue.
type inStore[T any] struct {
	store *store.Store[T]
	key   func(T) (delta.Key, error)
}

func (s inStore[T]) Get(key delta.Key) (T, bool) { return s.store.Get(key) }

func (s inStore[T]) Keys(namespace string) iter.Seq[delta.Key] {
	return func(yield func(delta.Key) bool) {
		view := s.store.View()
		defer view.Release()
		if namespace == "" {
			for key := range view.All() {
				if !yield(key) {
					return
				}
			}
			return
		}
		for _, obj := range view.ListNamespace(namespace) {
			key, err := s.key(obj)
			if err != nil {
				panic("BUG: an object without a key is in the store")
			}
			if !yield(key) {
				return
			}
		}
	}
}

func (s inStore[T]) Count(namespace string) int {
	if namespace == "" {
		return s.store.Len()
	}
	return len(s.store.ListNamespace(namespace))
}

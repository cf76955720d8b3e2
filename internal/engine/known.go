package engine

import (
	"iter"

	"github.com/delta-runtime/delta-runtime/internal/store"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// inStore shows the store to the queue.
type inStore[T any] struct{ store *store.Store[T] }

func (s inStore[T]) Get(key delta.Key) (T, bool) { return s.store.Get(key) }

func (s inStore[T]) Keys(namespace string) iter.Seq[delta.Key] {
	return func(yield func(delta.Key) bool) {
		view := s.store.View()
		defer view.Release()
		view.Keys(namespace)(yield)
	}
}

func (s inStore[T]) Count(namespace string) int {
	if namespace == "" {
		return s.store.Len()
	}
	return len(s.store.Select(namespace, nil))
}

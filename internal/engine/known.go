package engine

import (
	"iter"

	"github.com/delta-runtime/delta-runtime/internal/engine/store"
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

// keySet has some keys, each with its last place in a list.
type keySet map[delta.Key]int

func newKeySet(keys []delta.Key) keySet {
	s := make(keySet, len(keys))
	for i, key := range keys {
		s[key] = i
	}
	return s
}

// distinct reports whether no two keys are the same. For keys in order, which is most of the time a
// server's order, it only compares neighbours.
func distinct(keys []delta.Key) bool {
	for i := 1; i < len(keys); i++ {
		if keys[i-1].Compare(keys[i]) >= 0 {
			return len(newKeySet(keys)) == len(keys)
		}
	}
	return true
}

// lastOfEach leaves the last object of each key, where the others were.
func lastOfEach[T any](objs []T, keys []delta.Key) ([]T, []delta.Key) {
	last := newKeySet(keys)
	n := 0
	for i, key := range keys {
		if last[key] == i {
			objs[n], keys[n] = objs[i], key
			n++
		}
	}
	clear(objs[n:])
	return objs[:n], keys[:n]
}

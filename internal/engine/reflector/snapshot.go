package reflector

import (
	"maps"
	"slices"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// snapshot is the list that pages, or the events of a stream, add up to. It stays private to the Reflector until it is
// whole.
type snapshot[T any] struct {
	Replacement // what is said of the list; its Refused comes from refused in the end

	objs []T

	// refused are objects that are there and have no state that could be taken, but a key.
	refused map[delta.Key]struct{}

	// gone are objects that a stream has shown and that went: those of their states are void that came before.
	gone map[delta.Key]int

	// known means that objects were taken for those that are known, because of their versions.
	known bool
}

// refuse notes that an object is there in a state that cannot be taken. If another state is, that one stays.
func (s *snapshot[T]) refuse(key delta.Key) {
	if s.refused == nil {
		s.refused = map[delta.Key]struct{}{}
	}
	s.refused[key] = struct{}{}
}

// makeRoom makes room for n objects.
func (s *snapshot[T]) makeRoom(n int) {
	s.objs, s.Keys = slices.Grow(s.objs, n), slices.Grow(s.Keys, n)
}

// put adds an object. Of its states the last counts.
func (s *snapshot[T]) put(key delta.Key, obj T) {
	s.objs = append(s.objs, obj)
	s.Keys = append(s.Keys, key)
}

// drop notes that an object is gone.
func (s *snapshot[T]) drop(key delta.Key) {
	delete(s.refused, key)
	if s.gone == nil {
		s.gone = map[delta.Key]int{}
	}
	s.gone[key] = len(s.objs)
}

// finish takes out what is gone, and notes the objects that no state was taken of.
func (s *snapshot[T]) finish() {
	if len(s.gone) > 0 {
		kept := 0
		for i, key := range s.Keys {
			if i >= s.gone[key] {
				s.objs[kept], s.Keys[kept] = s.objs[i], key
				kept++
			}
		}
		clear(s.objs[kept:])
		s.objs, s.Keys = s.objs[:kept], s.Keys[:kept]
	}
	if len(s.refused) > 0 {
		for _, key := range s.Keys {
			delete(s.refused, key)
		}
		s.Refused = slices.Collect(maps.Keys(s.refused))
	}
}

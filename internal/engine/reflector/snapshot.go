package reflector

import (
	"slices"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// snapshot is the list that a stream of events adds up to. It stays private to
// the Reflector until the stream says that it is whole.
type snapshot[T any] struct {
	Replacement // what is said of the list; its Refused comes from refused in the end

	objs  []T
	index map[delta.Key]int // into objs; nil in pages, where an object may come twice

	// refused are objects that are there and have no state that could be taken, but a key.
	refused map[delta.Key]struct{}

	// known means that objects were taken for those that are known, because of their versions.
	known bool
}

func newSnapshot[T any]() *snapshot[T] { return &snapshot[T]{index: map[delta.Key]int{}} }

// refuse notes that an object is there in a state that cannot be taken. If an earlier
// state was, that one stays.
func (s *snapshot[T]) refuse(key delta.Key) {
	if _, ok := s.index[key]; ok {
		return
	}
	if s.refused == nil {
		s.refused = map[delta.Key]struct{}{}
	}
	s.refused[key] = struct{}{}
}

// put adds an object, or replaces its earlier state.
func (s *snapshot[T]) put(key delta.Key, obj T) {
	delete(s.refused, key)
	if i, ok := s.index[key]; ok {
		s.objs[i] = obj
		return
	}
	if s.index != nil {
		s.index[key] = len(s.objs)
	}
	s.objs = append(s.objs, obj)
	s.Keys = append(s.Keys, key)
}

// drop removes an object. The last one takes its place: objects of a stream come
// in no order that is worth keeping.
func (s *snapshot[T]) drop(key delta.Key) {
	delete(s.refused, key)
	i, ok := s.index[key]
	if !ok {
		return
	}
	last := len(s.objs) - 1
	s.objs[i], s.Keys[i] = s.objs[last], s.Keys[last]
	s.index[s.Keys[i]] = i
	delete(s.index, key)
	s.objs = slices.Delete(s.objs, last, last+1)
	s.Keys = s.Keys[:last]
}

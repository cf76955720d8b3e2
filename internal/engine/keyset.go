package engine

import (
	"math/bits"
	"slices"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// keySet is a set of keys over the slice that holds them: an open-addressing table
// of positions, a third of what a Go map of them takes to build.
type keySet struct {
	keys  []delta.Key
	slots []int32 // position+1, or emptySlot; length is a power of two
	size  int     // how many keys are different ones
}

func newKeySet(keys []delta.Key) keySet {
	s := keySet{keys: keys, slots: make([]int32, 1<<bits.Len(uint(len(keys)*2)))}
	for i, key := range keys {
		at := s.find(key)
		if s.slots[at] == emptySlot {
			s.size++
		}
		s.slots[at] = int32(i) + 1
	}
	return s
}

func (s *keySet) has(key delta.Key) bool { return s.slots[s.find(key)] != emptySlot }

// find returns the slot where the key is, or where it would be put.
func (s *keySet) find(key delta.Key) int {
	mask := len(s.slots) - 1
	at := int(hashOf(key)) & mask
	for s.slots[at] != emptySlot && s.keys[s.slots[at]-1] != key {
		at = (at + 1) & mask
	}
	return at
}

// distinct reports whether no two keys are the same. For keys in a server's order it
// only compares neighbours. For others it builds a set.
func distinct(keys []delta.Key) bool {
	for i := 1; i < len(keys); i++ {
		if !ascends(keys[i-1], keys[i]) {
			return newKeySet(keys).size == len(keys)
		}
	}
	return true
}

// ascends reports whether a server lists a before b: it sorts by namespace/name.
func ascends(a, b delta.Key) bool {
	if a.Namespace == b.Namespace {
		return a.Name < b.Name
	}
	n := min(len(a.Namespace), len(b.Namespace))
	switch {
	case a.Namespace[:n] != b.Namespace[:n]:
		return a.Namespace < b.Namespace
	case len(a.Namespace) < len(b.Namespace):
		return b.Namespace[n] > '/'
	}
	return a.Namespace[n] < '/'
}

// lastOfEach leaves the last object of each key, where the others were.
func lastOfEach[T any](objs []T, keys []delta.Key) ([]T, []delta.Key) {
	last := newKeySet(slices.Clone(keys)) // a copy, because keys is written below
	n := 0
	for i, key := range last.keys {
		if int(last.slots[last.find(key)])-1 == i {
			objs[n], keys[n] = objs[i], key
			n++
		}
	}
	clear(objs[n:])
	return objs[:n], keys[:n]
}

package informer

import (
	"math/bits"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// keySet is a set of keys over the slice that holds them: an open-addressing table
// of positions, a third of what a Go map of them takes to build.
type keySet struct {
	keys  []delta.Key
	slots []int32 // position+1, or emptySlot; length is a power of two
}

func newKeySet(keys []delta.Key) keySet {
	s := keySet{keys: keys, slots: make([]int32, 1<<bits.Len(uint(len(keys)*2)))}
	for i, key := range keys {
		s.slots[s.find(key)] = int32(i) + 1
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

package engine

import (
	"hash/maphash"
	"math/bits"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// keyIndex finds the newest item of a key in a pile: an open-addressing table of positions. The keys stand in the
// items, so it holds four bytes for each, and looking a key up makes room for it. A Go map takes two steps, and the
// queue does little else.
type keyIndex[T any] struct {
	slots []int32 // position+1, or emptySlot; length is a power of two
	used  int     // slots that are not empty
}

const emptySlot = int32(0)

var keySeed = maphash.MakeSeed()

// hashOf is never zero, which says that an item has no hash yet.
func hashOf(key delta.Key) uint32 { return uint32(maphash.Comparable(keySeed, key)) | 1<<31 }

// slot is where the key is, or where it would be put.
func (x *keyIndex[T]) slot(items []item[T], hash uint32, key delta.Key) int {
	if len(x.slots) == 0 {
		x.slots = make([]int32, 16)
	}
	mask := len(x.slots) - 1
	for i := int(hash) & mask; ; i = (i + 1) & mask {
		at := x.slots[i]
		if at == emptySlot || items[at-1].hash == hash && items[at-1].Key == key {
			return i
		}
	}
}

// at is the position that the slot holds, or none.
func (x *keyIndex[T]) at(slot int) int32 { return x.slots[slot] - 1 }

func (x *keyIndex[T]) put(slot int, position int32) {
	if x.slots[slot] == emptySlot {
		x.used++
	}
	x.slots[slot] = position + 1
}

// full reports whether the table has to be rebuilt before the next put, so that
// there always is an empty slot for a search to end at.
func (x *keyIndex[T]) full() bool { return x.used*4 >= len(x.slots)*3 }

// rebuild makes a table for the items, with room for more keys than it holds.
func (x *keyIndex[T]) rebuild(items []item[T], more int) {
	old := x.slots
	x.slots = make([]int32, max(16, 1<<bits.Len(uint((x.used+more)*2))))
	mask := len(x.slots) - 1
	for _, at := range old {
		if at == emptySlot {
			continue
		}
		i := int(items[at-1].hash) & mask
		for x.slots[i] != emptySlot {
			i = (i + 1) & mask
		}
		x.slots[i] = at
	}
}

// clear empties the table. Where it is much larger than what it holds, that goes by the items: an item's slot is in
// the run that begins where its hash points.
func (x *keyIndex[T]) clear(items []item[T]) {
	byItem := len(items)*8 <= len(x.slots)
	x.used = 0
	if !byItem {
		clear(x.slots)
		return
	}
	mask := len(x.slots) - 1
	for i := range items {
		for at := int(items[i].hash) & mask; x.slots[at] != emptySlot; at = (at + 1) & mask {
			x.slots[at] = emptySlot
		}
	}
}

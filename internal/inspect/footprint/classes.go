package footprint

import (
	"slices"
	"sync"
)

// classes are the sizes that Go's allocator knows, asked of it.
var classes = sync.OnceValue(func() (all []int64) {
	for size := int64(1); size <= largest; size = all[len(all)-1] + 1 {
		all = append(all, int64(cap(append([]byte(nil), make([]byte, size)...))))
	}
	return all
})

const (
	largest   = 32768
	page      = 8192
	tiny      = 16  // smaller ones without pointers share a block
	withoutIt = 512 // larger ones with pointers have a header of a word
)

func classOf(size int64) int64 {
	i, _ := slices.BinarySearch(classes(), size)
	return classes()[i]
}

// block is what an allocation without pointers takes.
func block(size int64) int64 {
	switch {
	case size <= 0:
		return 0
	case size < tiny:
		return size
	case size <= largest:
		return classOf(size)
	default:
		return (size + page - 1) / page * page
	}
}

// scanned is what an allocation with pointers takes.
func scanned(size int64) int64 {
	switch {
	case size <= 0:
		return 0
	case size <= withoutIt:
		return classOf(size)
	case size+8 > largest:
		return block(size)
	default:
		return block(size + 8)
	}
}

const (
	mapHead   = 48 // internal/runtime/maps.Map
	tableHead = 48 // a table of it
	groupOf   = 8  // slots in a group
	tableMax  = 1024
	inSlot    = 128 // larger keys and values are kept outside of the slot
)

// mapBytes is what a map takes for itself. A map that has shrunk takes more.
func mapBytes(entries int, key, elem int64) int64 {
	if entries == 0 {
		return mapHead
	}
	var outside int64
	if key > inSlot {
		outside, key = outside+scanned(key), 8
	}
	if elem > inSlot {
		outside, elem = outside+scanned(elem), 8
	}
	group := 8 + groupOf*(key+elem)
	all := mapHead + outside*int64(entries)
	if entries <= groupOf {
		return all + scanned(group)
	}
	capacity := int64(2 * groupOf)
	for capacity*7/8 < int64(entries) {
		capacity *= 2
	}
	tables := max(1, capacity/tableMax)
	return all + scanned(8*tables) + tables*(tableHead+scanned(capacity/tables/groupOf*group))
}

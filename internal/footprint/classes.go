package footprint

import "sort"

// classes are the sizes that Go's allocator knows. A test asks the allocator.
var classes = [...]uint16{
	8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256, 288, 320, 352, 384, 416,
	448, 480, 512, 576, 640, 704, 768, 896, 1024, 1152, 1280, 1408, 1536, 1792, 2048, 2304, 2688, 3072, 3200,
	3456, 4096, 4864, 5376, 6144, 6528, 6784, 6912, 8192, 9472, 9728, 10240, 10880, 12288, 13568, 14336,
	16384, 18432, 19072, 20480, 21760, 24576, 27264, 28672, 32768,
}

const (
	largest   = 32768
	page      = 8192
	tiny      = 16  // smaller ones without pointers share a block
	withoutIt = 512 // larger ones with pointers have a header of a word
)

// small has the class of each size up to 1,024, by eights: most allocations are of these.
var small = func() (to [129]uint16) {
	for i := range to {
		to[i] = classOf(i * 8)
	}
	return to
}()

func classOf(size int) uint16 {
	return classes[sort.Search(len(classes)-1, func(i int) bool { return int(classes[i]) >= size })]
}

// block is what an allocation without pointers takes.
func block(size int64) int64 {
	switch {
	case size <= 0:
		return 0
	case size < tiny:
		return size
	case size <= 1024:
		return int64(small[(size+7)/8])
	case size <= largest:
		return int64(classOf(int(size)))
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
		return int64(small[(size+7)/8])
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

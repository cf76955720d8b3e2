package decode_test

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
)

// wireField is a field of a message in protobuf that can be written in another way.
type wireField struct {
	number uint64
	sort   uint64
	value  uint64      // of a varint
	bytes  []byte      // of a text, and of a fixed number
	fields []wireField // instead of bytes, if these may be a message
	pad    int         // how many bytes too long the numbers are
}

// parseProto takes a message apart. What may be a message within it is taken for one.
func parseProto(data []byte) (fields []wireField, ok bool) {
	for len(data) > 0 {
		tag, n := binary.Uvarint(data)
		if n <= 0 || tag>>3 == 0 {
			return nil, false
		}
		data = data[n:]
		f := wireField{number: tag >> 3, sort: tag & 7}
		var size int
		switch f.sort {
		case 0:
			if f.value, size = binary.Uvarint(data); size <= 0 {
				return nil, false
			}
		case 1, 5:
			size = map[uint64]int{1: 8, 5: 4}[f.sort]
			if size > len(data) {
				return nil, false
			}
			f.bytes = data[:size]
		case 2:
			length, n := binary.Uvarint(data)
			if n <= 0 || length > uint64(len(data)-n) {
				return nil, false
			}
			size = n + int(length)
			f.bytes = data[n:size]
			f.fields, _ = parseProto(f.bytes)
		default:
			return nil, false
		}
		fields, data = append(fields, f), data[size:]
	}
	return fields, true
}

// padded adds a number that is some bytes longer than it has to be.
func padded(to []byte, n uint64, pad int) []byte {
	to = binary.AppendUvarint(to, n)
	for range pad {
		to[len(to)-1] |= 0x80
		to = append(to, 0)
	}
	return to
}

func writeProto(to []byte, fields []wireField) []byte {
	for _, f := range fields {
		to = padded(to, f.number<<3|f.sort, f.pad)
		switch f.sort {
		case 0:
			to = padded(to, f.value, f.pad)
		case 2:
			if f.fields != nil {
				f.bytes = writeProto(nil, f.fields)
			}
			to = append(padded(to, uint64(len(f.bytes)), f.pad), f.bytes...)
		default:
			to = append(to, f.bytes...)
		}
	}
	return to
}

// messages lists all that have fields.
func messages(root *[]wireField) []*[]wireField {
	found := []*[]wireField{root}
	for i := range *root {
		if (*root)[i].fields != nil {
			found = append(found, messages(&(*root)[i].fields)...)
		}
	}
	return found
}

var oddNumbers = []uint64{0, 1, 2, 127, 128, 1 << 31, 1<<31 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1, 1<<64 - 2}

// oddField is one that few know.
func oddField(rng *rand.Rand) wireField {
	f := wireField{number: uint64(1 + rng.IntN(40)), value: oddNumbers[rng.IntN(len(oddNumbers))]}
	if rng.IntN(3) == 0 {
		f.number = []uint64{0, 99, 1<<29 - 1, 1 << 29, 1<<31 - 1, 1 << 32, 1<<32 + 1, 1<<61 - 1}[rng.IntN(8)]
	}
	switch rng.IntN(6) {
	case 0:
		f.sort, f.bytes = 1, make([]byte, 8)
	case 1:
		f.sort, f.bytes = 5, []byte{1, 2, 3, 4}
	case 2:
		f.sort, f.bytes = 2, []byte("\x0a\x00")
	case 3: // a group with a field in it
		f.sort, f.bytes = 3, binary.AppendUvarint([]byte{0x08, 0x01}, f.number<<3|4)
	case 4:
		f.sort = []uint64{3, 4, 6, 7}[rng.IntN(4)] // a group without an end, and what there is not
	}
	return f
}

// changeProto makes one change to a message somewhere.
func changeProto(rng *rand.Rand, root *[]wireField) {
	all := messages(root)
	at := all[rng.IntN(len(all))]
	if len(*at) == 0 {
		*at = append(*at, oddField(rng))
		return
	}
	i := rng.IntN(len(*at))
	f := &(*at)[i]
	switch rng.IntN(10) {
	case 0:
		rng.Shuffle(len(*at), func(i, j int) { (*at)[i], (*at)[j] = (*at)[j], (*at)[i] })
	case 1:
		*at = slices.Insert(*at, rng.IntN(len(*at)+1), *f)
	case 2:
		*at = slices.Insert(*at, i, *f)
	case 3:
		*at = slices.Insert(*at, rng.IntN(len(*at)+1), oddField(rng))
	case 4:
		*at = slices.Delete(*at, i, i+1)
	case 5: // as if it had another type
		other := oddField(rng)
		other.number = f.number
		*f = other
	case 6:
		f.pad = 1 + rng.IntN(10)
	case 7: // packed
		f.bytes = binary.AppendUvarint(binary.AppendUvarint(nil, f.value), 7)
		f.sort, f.fields = 2, nil
	case 8:
		f.sort, f.bytes, f.fields = 2, nil, nil
	default:
		f.number = uint64(1 + rng.IntN(20))
	}
}

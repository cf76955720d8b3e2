package imprint

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// text writes a string.
func (w *Writer) text(a, b string) bool {
	if a == b {
		return false
	}
	w.wholeText(a, b, 0)
	return true
}

// inCommon is what a text has to have in common with another for that to be written.
const inCommon = 4

// wholeText writes twice the length of what is new in a text, and more. Behind an odd number stands how much of
// the other it has in front of that and behind it.
func (w *Writer) wholeText(a, b string, more int) {
	head := commonHead(a, b)
	tail := commonTail(a[head:], b[head:])
	if head+tail < inCommon {
		w.count(len(a)<<1 + more)
		w.buf = append(w.buf, a...)
		return
	}
	w.count((len(a)-head-tail)<<1 + 1 + more)
	w.count(head)
	w.count(tail)
	w.buf = append(w.buf, a[head:len(a)-tail]...)
}

// octets writes bytes as a text with a number that is larger by two: zero is nil.
func (w *Writer) octets(a, b []byte) bool {
	x, y := unsafe.String(unsafe.SliceData(a), len(a)), unsafe.String(unsafe.SliceData(b), len(b))
	switch {
	case (a == nil) == (b == nil) && x == y:
		return false
	case a == nil:
		w.byte(0)
	default:
		w.wholeText(x, y, 2)
	}
	return true
}

func commonHead(a, b string) (n int) {
	most := min(len(a), len(b))
	for n+8 <= most {
		x := word(a, n) ^ word(b, n)
		if x != 0 {
			return n + bits.TrailingZeros64(x)/8
		}
		n += 8
	}
	for n < most && a[n] == b[n] {
		n++
	}
	return n
}

func commonTail(a, b string) (n int) {
	most := min(len(a), len(b))
	for n+8 <= most {
		x := word(a, len(a)-n-8) ^ word(b, len(b)-n-8)
		if x != 0 {
			return n + bits.LeadingZeros64(x)/8
		}
		n += 8
	}
	for n < most && a[len(a)-n-1] == b[len(b)-n-1] {
		n++
	}
	return n
}

// word returns eight bytes of a text.
func word(s string, at int) uint64 {
	return binary.LittleEndian.Uint64(unsafe.Slice(unsafe.StringData(s), len(s))[at:])
}

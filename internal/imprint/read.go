package imprint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"time"
	"unsafe"
)

// A Reader reads what one Writer has written, from the first record on. It is for one goroutine.
type Reader struct {
	of    *Type
	made  []unsafe.Pointer // all objects
	names map[string]string

	// These are about the record that is being read.
	data []byte
	pos  int
	room int // what new elements may take
	bad  bool
}

// NewReader returns a Reader of objects of the type.
func NewReader(t *Type) *Reader { return &Reader{of: t, names: map[string]string{}} }

var errDamaged = errors.New("it is not what was written")

// Next returns the object of the next record, and keeps nothing of its bytes. After an error no further record can be read.
func (r *Reader) Next(data []byte) (any, error) {
	r.data, r.pos, r.bad = data, 0, false
	r.room = roomForAll + roomForByte*len(data)
	defer func() { r.data = nil }()
	distance := r.uvarint()
	if r.bad || distance > uint64(len(r.made)) {
		return nil, fmt.Errorf("read record %d: %w", len(r.made), errDamaged)
	}
	made := reflect.New(r.of.root.typ)
	if distance > 0 {
		made.Elem().Set(reflect.NewAt(r.of.root.typ, r.made[len(r.made)-int(distance)]).Elem()) //nolint:gosec // not more than an int
	}
	r.structure(r.of.root, made.UnsafePointer(), 0)
	if r.bad || r.pos != len(data) {
		return nil, fmt.Errorf("read record %d at byte %d of %d: %w", len(r.made), r.pos, len(data), errDamaged)
	}
	r.made = append(r.made, made.UnsafePointer())
	return made.Interface(), nil
}

// The methods below go on after something was bad, with zeros and without memory for them: who makes something of any
// size looks first.

func (r *Reader) uvarint() uint64 {
	if r.pos < len(r.data) {
		if b := r.data[r.pos]; b < 0x80 {
			r.pos++
			return uint64(b)
		}
	}
	v, n := binary.Uvarint(r.data[r.pos:])
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.pos += n
	return v
}

func (r *Reader) varint() int64 {
	v := r.uvarint()
	return int64(v>>1) ^ -int64(v&1) //nolint:gosec // the bits of a number with a sign
}

func (r *Reader) byte() byte {
	if r.pos >= len(r.data) {
		r.bad = true
		return 0
	}
	r.pos++
	return r.data[r.pos-1]
}

// bytes returns the next bytes, which are good as long as the record.
func (r *Reader) bytes(n uint64) []byte {
	if n > uint64(len(r.data)-r.pos) { //nolint:gosec // not negative
		r.bad = true
		return nil
	}
	r.pos += int(n) //nolint:gosec // not more than there are
	return r.data[r.pos-int(n) : r.pos]
}

// mask reads n bits.
func (r *Reader) mask(n int) (mask uint64) {
	for i, b := range r.bytes(uint64(n+7) / 8) { //nolint:gosec // not negative
		mask |= uint64(b) << (8 * i)
	}
	if n < 64 && mask>>n != 0 {
		r.bad = true
		return 0
	}
	return mask
}

// read changes a value, which is equal to that of like, to the one that differs from it. The value leads to
// what is like's, and that stays as it is.
func (r *Reader) read(p *plan, into unsafe.Pointer, depth int) {
	switch p.sort {
	case text:
		r.text((*string)(into))
	case boolean:
		*(*bool)(into) = !*(*bool)(into)
	case number:
		r.bad = !storeNumber(p, into, r.varint()) || r.bad
	case float:
		r.float(p, into)
	case octets:
		r.octets((*[]byte)(into))
	case structure:
		r.structure(p, into, depth)
	case moment:
		r.moment((*time.Time)(into))
	case amount:
		r.amount(into)
	case absent:
		r.bad = true
	default:
		r.deep(p, into, depth+1)
	}
}

// deep reads what may be nested without an end.
func (r *Reader) deep(p *plan, into unsafe.Pointer, depth int) {
	if r.bad || depth > maxDepth {
		r.bad = true
		return
	}
	switch p.sort {
	case pointer:
		r.pointer(p, (*unsafe.Pointer)(into), depth)
	case list:
		r.list(p, (*header)(into), depth)
	case texts:
		m := (*map[string]string)(into)
		*m = readMap(r, *m, depth, readText)
	case contents:
		m := (*map[string]any)(into)
		*m = readMap(r, *m, depth, readAny)
	case mapping:
		r.mapping(p, reflect.NewAt(p.typ, into).Elem(), depth)
	case dynamic:
		r.dynamic((*any)(into), depth)
	default:
		panic("BUG: a plan of no sort")
	}
}

func (r *Reader) structure(p *plan, into unsafe.Pointer, depth int) {
	for fields := p.fields; len(fields) > 0; {
		n := min(64, len(fields))
		for mask := r.mask(n); mask != 0 && !r.bad; mask &= mask - 1 {
			f := &fields[bits.TrailingZeros64(mask)]
			r.read(f.plan, unsafe.Add(into, f.offset), depth)
		}
		fields = fields[n:]
	}
}

func (r *Reader) pointer(p *plan, into *unsafe.Pointer, depth int) {
	like := *into
	switch r.byte() {
	case toNothing:
		*into = nil
	case toZero:
		*into = reflect.New(p.elem.typ).UnsafePointer()
	case toChanged:
		made := reflect.New(p.elem.typ)
		if like != nil {
			made.Elem().Set(reflect.NewAt(p.elem.typ, like).Elem())
		}
		*into = made.UnsafePointer()
		r.read(p.elem, *into, depth)
	default:
		r.bad = true
	}
}

func (r *Reader) list(p *plan, into *header, depth int) {
	length := r.uvarint()
	if length == 0 || r.bad {
		*into = header{}
		return
	}
	length--
	like, size := *into, p.elem.size
	if left := uint64(len(r.data) - r.pos); length/8 > left { //nolint:gosec // not negative
		r.bad = true
		return
	}
	n := int(length)                         //nolint:gosec // not more than there are bits
	r.room -= max(0, n-like.len) * int(size) //nolint:gosec // a type's size
	if r.room < 0 {
		r.bad = true
		return
	}
	made := reflect.MakeSlice(p.typ, n, n)
	if common := min(n, like.len); common > 0 {
		like.len = common
		reflect.Copy(made, reflect.NewAt(p.typ, unsafe.Pointer(&like)).Elem())
	}
	*into = header{data: made.UnsafePointer(), len: n, cap: n}
	for i := 0; i < n && !r.bad; i += 64 {
		for mask := r.mask(min(64, n-i)); mask != 0 && !r.bad; mask &= mask - 1 {
			at := uintptr(i+bits.TrailingZeros64(mask)) * size //nolint:gosec // not negative
			r.read(p.elem, unsafe.Add(into.data, at), depth)
		}
	}
}

func (r *Reader) text(into *string) {
	head, middle, tail := r.parts(r.uvarint(), *into)
	switch size := len(head) + len(middle) + len(tail); {
	case r.bad || size == 0:
		*into = ""
	case size == len(middle):
		*into = string(middle)
	default:
		*into = unsafe.String(unsafe.SliceData(joined(head, middle, tail)), size)
	}
}

func (r *Reader) octets(into *[]byte) {
	n := r.uvarint()
	if n < 2 {
		r.bad = r.bad || n != 0
		*into = nil
		return
	}
	head, middle, tail := r.parts(n-2, unsafe.String(unsafe.SliceData(*into), len(*into)))
	*into = joined(head, middle, tail)
}

// parts returns what a text consists of that begins with a number: what it has in common with like at both ends, and
// what is between.
func (r *Reader) parts(n uint64, like string) (head string, middle []byte, tail string) {
	if n&1 != 0 {
		front, back := r.uvarint(), r.uvarint()
		size := uint64(len(like))
		if front > size || back > size-front {
			r.bad = true
			return "", nil, ""
		}
		head, tail = like[:front], like[size-back:]
	}
	return head, r.bytes(n >> 1), tail
}

func joined(head string, middle []byte, tail string) []byte {
	all := make([]byte, len(head)+len(middle)+len(tail))
	n := copy(all, head)
	n += copy(all[n:], middle)
	copy(all[n:], tail)
	return all
}

func (r *Reader) float(p *plan, into unsafe.Pointer) {
	raw := r.bytes(uint64(p.size))
	switch len(raw) {
	case 4:
		*(*float32)(into) = math.Float32frombits(binary.LittleEndian.Uint32(raw))
	case 8:
		*(*float64)(into) = math.Float64frombits(binary.LittleEndian.Uint64(raw))
	}
}

package imprint

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"time"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// A Writer writes objects of one type, one after the other. It is for one goroutine.
type Writer struct {
	of      *Type
	written int
	byOwner map[types.UID]place // the last object of each controller; "" is none
	last    place

	// These are about the object that is being written.
	buf  []byte
	room int // what new elements take
	err  error
}

// place is an object, and how many were before it.
type place struct {
	obj   unsafe.Pointer
	index int
}

// maxOwners bounds how many controllers a Writer knows an object of.
const maxOwners = 1 << 14

// NewWriter returns a Writer for objects of the type. Its records are for a Reader that reads all of them.
func NewWriter(t *Type) *Writer {
	return &Writer{of: t, byOwner: map[types.UID]place{}}
}

// Append appends the record of an object to buf. An error means that the object can't be written, and then it counts
// as if it had not been there.
func (w *Writer) Append(buf []byte, obj any) ([]byte, error) {
	v := reflect.ValueOf(obj)
	if v.Kind() != reflect.Pointer || v.Type().Elem() != w.of.root.typ || v.IsNil() {
		return nil, fmt.Errorf("write a %T as it differs: it is not a *%v", obj, w.of.root.typ)
	}
	owner := ownerOf(obj)
	like, found := w.byOwner[owner]
	if !found {
		like = w.last
	}
	distance, from := 0, w.of.root.zero
	if like.obj != nil {
		distance, from = w.written-like.index, like.obj
	}
	w.room, w.err = 0, nil
	begin := len(buf)
	w.buf = binary.AppendUvarint(buf, uint64(distance)) //nolint:gosec // not negative
	if !w.diff(w.of.root, v.UnsafePointer(), from, 0) {
		w.sameStruct(w.of.root)
	}
	buf, w.buf = w.buf, nil
	if most := roomForAll + roomForByte*(len(buf)-begin); w.err == nil && w.room > most {
		w.err = fmt.Errorf("its lists take %d bytes of memory, and %d are the most", w.room, most)
	}
	if w.err != nil {
		return nil, fmt.Errorf("write a %T as it differs: %w", obj, w.err)
	}
	w.last = place{v.UnsafePointer(), w.written}
	w.remember(owner)
	w.written++
	return buf, nil
}

func (w *Writer) remember(owner types.UID) {
	if _, found := w.byOwner[owner]; !found && len(w.byOwner) >= maxOwners {
		for other := range w.byOwner { // any of them
			delete(w.byOwner, other)
			break
		}
	}
	w.byOwner[owner] = w.last
}

// ownerOf returns the UID of the controller of an object, empty if there is none.
func ownerOf(obj any) types.UID {
	if free, is := obj.(*unstructured.Unstructured); is {
		return ownerIn(free.Object)
	}
	if about, is := obj.(metav1.Object); is {
		if owner := metav1.GetControllerOfNoCopy(about); owner != nil {
			return owner.UID
		}
	}
	return ""
}

// ownerIn is ownerOf without a copy of all owners.
func ownerIn(content map[string]any) types.UID {
	about, _ := content["metadata"].(map[string]any)
	owners, _ := about["ownerReferences"].([]any)
	for _, each := range owners {
		owner, _ := each.(map[string]any)
		if controls, _ := owner["controller"].(bool); controls {
			uid, _ := owner["uid"].(string)
			return types.UID(uid)
		}
	}
	return ""
}

func (w *Writer) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

func (w *Writer) uvarint(n uint64) { w.buf = binary.AppendUvarint(w.buf, n) }
func (w *Writer) varint(n int64)   { w.buf = binary.AppendVarint(w.buf, n) }
func (w *Writer) byte(b byte)      { w.buf = append(w.buf, b) }
func (w *Writer) count(n int)      { w.uvarint(uint64(n)) } //nolint:gosec // a length

// diff appends in what a differs from b, and reports whether it does. If not, it appends nothing.
func (w *Writer) diff(p *plan, a, b unsafe.Pointer, depth int) bool {
	switch p.sort {
	case text:
		return w.text(*(*string)(a), *(*string)(b))
	case boolean: // there is only one that differs
		return *(*bool)(a) != *(*bool)(b)
	case number:
		return w.number(p, a, b)
	case float:
		return w.float(p, a, b)
	case octets:
		return w.octets(*(*[]byte)(a), *(*[]byte)(b))
	case structure:
		return w.structure(p, a, b, depth)
	case moment:
		return w.moment((*time.Time)(a), (*time.Time)(b))
	case amount:
		return w.amount(a, b)
	case absent:
		if *(*unsafe.Pointer)(a) != nil { // the first word is its type
			w.fail("it has a value in %v", p.typ)
		}
		return false
	default:
	}
	if w.err != nil {
		return false
	}
	if depth++; depth > maxDepth {
		w.fail("it is nested more than %d deep", maxDepth)
		return false
	}
	switch p.sort {
	case pointer:
		return w.pointer(p, [2]unsafe.Pointer{*(*unsafe.Pointer)(a), *(*unsafe.Pointer)(b)}, depth)
	case list:
		return w.list(p, (*header)(a), (*header)(b), depth)
	case texts:
		return writeMap(w, [2]map[string]string{*(*map[string]string)(a), *(*map[string]string)(b)}, depth, writeText)
	case contents:
		return writeMap(w, [2]map[string]any{*(*map[string]any)(a), *(*map[string]any)(b)}, depth, writeAny)
	case mapping:
		return w.mapping(p, reflect.NewAt(p.typ, a).Elem(), reflect.NewAt(p.typ, b).Elem(), depth)
	case dynamic:
		return w.dynamic(*(*any)(a), *(*any)(b), depth)
	default:
		panic("BUG: a plan of no sort")
	}
}

// number writes an integer as one of 64 bits.
func (w *Writer) number(p *plan, a, b unsafe.Pointer) bool {
	x := loadNumber(p, a)
	if x == loadNumber(p, b) {
		return false
	}
	w.varint(x)
	return true
}

func (w *Writer) float(p *plan, a, b unsafe.Pointer) bool {
	if p.size == 4 {
		if *(*uint32)(a) == *(*uint32)(b) {
			return false
		}
		w.buf = binary.LittleEndian.AppendUint32(w.buf, *(*uint32)(a))
		return true
	}
	if *(*uint64)(a) == *(*uint64)(b) {
		return false
	}
	w.buf = binary.LittleEndian.AppendUint64(w.buf, *(*uint64)(a))
	return true
}

// structure writes a mask for each 64 fields.
func (w *Writer) structure(p *plan, a, b unsafe.Pointer, depth int) bool {
	if unsafe.String((*byte)(a), p.size) == unsafe.String((*byte)(b), p.size) {
		return false
	}
	begin, differs := len(w.buf), false
	for fields := range slices.Chunk(p.fields, 64) {
		at := w.reserve(len(fields))
		mask := uint64(0)
		for i := range fields {
			if f := &fields[i]; w.diff(f.plan, unsafe.Add(a, f.offset), unsafe.Add(b, f.offset), depth) {
				mask |= 1 << i
			}
		}
		w.fill(at, len(fields), mask)
		differs = differs || mask != 0
	}
	if !differs {
		w.buf = w.buf[:begin]
	}
	return differs
}

// sameStruct writes a struct that differs in nothing.
func (w *Writer) sameStruct(p *plan) {
	for fields := range slices.Chunk(p.fields, 64) {
		w.reserve(len(fields))
	}
}

// reserve makes room for a mask of n bits, and fill writes it there.
func (w *Writer) reserve(n int) (at int) {
	at = len(w.buf)
	for range (n + 7) / 8 {
		w.buf = append(w.buf, 0)
	}
	return at
}

func (w *Writer) fill(at, n int, mask uint64) {
	for i := range (n + 7) / 8 {
		w.buf[at+i] = byte(mask >> (8 * i))
	}
}

// The forms of a pointer.
const (
	toNothing = iota
	toChanged // a copy of what the other leads to, and in what it differs
	toZero    // nothing in it
)

// pointer writes where the first pointer leads, relative to where the second does.
func (w *Writer) pointer(p *plan, both [2]unsafe.Pointer, depth int) bool {
	a, b := both[0], both[1]
	if a == b {
		return false
	}
	if a == nil {
		w.byte(toNothing)
		return true
	}
	w.byte(toChanged)
	from := b
	if b == nil {
		from = p.elem.zero
	}
	if w.diff(p.elem, a, from, depth) {
		return true
	}
	w.buf = w.buf[:len(w.buf)-1]
	if b != nil {
		return false
	}
	w.byte(toZero)
	return true
}

// list writes one more than the length, and a mask for each 64 elements.
func (w *Writer) list(p *plan, a, b *header, depth int) bool {
	if a.data == nil || a.data == b.data && a.len == b.len {
		if (a.data == nil) == (b.data == nil) {
			return false
		}
		w.byte(0)
		return true
	}
	begin, differs := len(w.buf), a.len != b.len || b.data == nil
	w.count(a.len + 1)
	size := p.elem.size
	w.room += max(0, a.len-b.len) * int(size) //nolint:gosec // a type's size
	for i := 0; i < a.len; i += 64 {
		n := min(64, a.len-i)
		at := w.reserve(n)
		mask := uint64(0)
		for j := range n {
			from, offset := p.elem.zero, uintptr(i+j)*size //nolint:gosec // not negative
			if i+j < b.len {
				from = unsafe.Add(b.data, offset)
			}
			if w.diff(p.elem, unsafe.Add(a.data, offset), from, depth) {
				mask |= 1 << j
			}
		}
		w.fill(at, n, mask)
		differs = differs || mask != 0
	}
	if !differs {
		w.buf = w.buf[:begin]
	}
	return differs
}

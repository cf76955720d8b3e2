package imprint

import (
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"time"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"
)

// moment writes a time, if it is one that decoders make.
func (w *Writer) moment(a, b *time.Time) bool {
	if *a == *b { //nolint:staticcheck // the location has to be the same, too
		return false
	}
	seconds, nanos := a.Unix(), int64(a.Nanosecond())
	switch *a {
	case time.Time{}:
		w.byte(noTime)
		return true
	case timeOf(localTime, seconds, 0):
		w.byte(localTime)
		w.varint(seconds)
		return true
	case timeOf(localNanos, seconds, nanos):
		w.byte(localNanos)
	case timeOf(utcNanos, seconds, nanos):
		w.byte(utcNanos)
	default:
		w.fail("it has the time %v, which is neither a local one nor in UTC", *a)
		return true
	}
	w.varint(seconds)
	w.varint(nanos)
	return true
}

func (w *Writer) amount(a, b unsafe.Pointer) bool {
	if *(*resource.Quantity)(a) == *(*resource.Quantity)(b) {
		return false
	}
	q := (*quantity)(a)
	format := slices.Index(formats[:], q.format)
	if format < 0 || q.scale > maxScale || q.scale < -maxScale {
		w.fail("it has a quantity of the format %q and the scale %d", q.format, q.scale)
		return true
	}
	if q.other == nil {
		w.byte(wholeAmount)
		w.varint(q.value)
		w.varint(int64(q.scale))
		w.short(q.text)
		w.byte(byte(format)) //nolint:gosec // one of four
		return true
	}
	copied := *(*resource.Quantity)(a)
	dec := copied.AsDec() // its own one, because there is one
	w.byte(largeAmount)
	w.varint(int64(dec.Scale()))
	w.byte(byte(dec.Sign() + 1)) //nolint:gosec // at least -1
	digits := dec.UnscaledBig().Bytes()
	w.short(string(digits))
	w.short(q.text)
	w.byte(byte(format)) //nolint:gosec // one of four
	if scale := int64(dec.Scale()); scale > maxScale || scale < -maxScale || len(digits) > maxDigits {
		w.fail("it has a quantity of the scale %d and of %d bytes", scale, len(digits))
	}
	return true
}

// short writes a text that has nothing to do with another.
func (w *Writer) short(s string) {
	w.count(len(s))
	w.buf = append(w.buf, s...)
}

// dynamic writes what is in an any: its sort, and then the value.
func (w *Writer) dynamic(a, b any, depth int) bool {
	switch x := a.(type) {
	case []any:
		return w.anys(x, b, depth)
	case map[string]any:
		y, same := b.(map[string]any)
		w.byte(aMap)
		switch {
		case writeMap(w, [2]map[string]any{x, y}, depth, writeAny):
			return true
		case !same:
			w.byte(noMap)
			return true
		}
		w.buf = w.buf[:len(w.buf)-1]
		return false
	case float64:
		if y, same := b.(float64); same && math.Float64bits(x) == math.Float64bits(y) {
			return false
		}
		w.byte(aFloat)
		w.buf = binary.LittleEndian.AppendUint64(w.buf, math.Float64bits(x))
		return true
	case nil, bool, int64, string:
		if a == b {
			return false
		}
		w.plain(a, b)
		return true
	default:
		w.fail("it has a %T where any value may be, which no decoder makes", a)
		return false
	}
}

// plain writes what differs and has no parts.
func (w *Writer) plain(a, b any) {
	switch x := a.(type) {
	case nil:
		w.byte(nothing)
	case bool:
		if x {
			w.byte(isTrue)
		} else {
			w.byte(isFalse)
		}
	case int64:
		w.byte(anInteger)
		w.varint(x)
	case string:
		y, _ := b.(string)
		w.byte(aText)
		w.wholeText(x, y, 0)
	}
}

var anyList = &plan{
	sort: list, typ: reflect.TypeFor[[]any](), size: unsafe.Sizeof(header{}), zero: unsafe.Pointer(new([]any)),
	elem: &plan{sort: dynamic, typ: anyType, size: anyType.Size(), zero: unsafe.Pointer(new(any))},
}

func (w *Writer) anys(a []any, like any, depth int) bool {
	b, same := like.([]any)
	w.byte(aList)
	switch {
	case w.list(anyList, (*header)(unsafe.Pointer(&a)), (*header)(unsafe.Pointer(&b)), depth):
		return true
	case !same:
		w.byte(0)
		return true
	}
	w.buf = w.buf[:len(w.buf)-1]
	return false
}

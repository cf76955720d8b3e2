package footprint

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/delta-runtime/delta-runtime/internal/api/dedup"
)

// deepest is how far away something may be and still count.
const deepest = 500

// walk adds up what a value leads to.
type walk struct {
	seen map[unsafe.Pointer]struct{} // what pointers, slices and maps have led to
}

var walks = sync.Pool{New: func() any { return &walk{seen: map[unsafe.Pointer]struct{}{}} }}

// mostSeen is how large a map may be that is kept for the next walk.
const mostSeen = 1 << 13

func begin() *walk { return walks.Get().(*walk) }

func (w *walk) end() {
	if len(w.seen) <= mostSeen {
		clear(w.seen)
		walks.Put(w)
	}
}

// new reports whether the walk is there for the first time.
func (w *walk) new(p unsafe.Pointer) bool {
	before := len(w.seen)
	w.seen[p] = struct{}{}
	return len(w.seen) > before
}

// behind returns what v keeps alive beside the memory that it lies in itself.
func (w *walk) behind(v reflect.Value, k *dedup.Legible, far int) (sum int64) {
	if k.Flat || far > deepest {
		return 0
	}
	switch v.Kind() {
	case reflect.String:
		return text(v.Len())
	case reflect.Struct:
		for _, f := range k.Fields {
			if !f.Flat {
				sum += w.behind(v.Field(f.Index), f.Legible, far)
			}
		}
		return sum
	case reflect.Pointer:
		return w.pointer(v, far)
	case reflect.Interface:
		return w.boxed(v.Elem(), far)
	case reflect.Slice:
		return w.slice(v, far)
	case reflect.Array:
		elem := dedup.LegibleOf(v.Type().Elem())
		for i := range v.Len() {
			sum += w.behind(v.Index(i), elem, far)
		}
		return sum
	case reflect.Map:
		return w.mapping(v, far)
	default:
		return 0
	}
}

func text(length int) int64 {
	if length <= 1 {
		return 0 // the runtime has all of these
	}
	return block(int64(length))
}

func (w *walk) pointer(v reflect.Value, far int) int64 {
	if v.IsNil() {
		return 0
	}
	k := dedup.LegibleOf(v.Type().Elem())
	if k.Size == 0 || !w.new(v.UnsafePointer()) {
		return 0
	}
	return whole(k) + w.behind(v.Elem(), k, far+1)
}

// whole is what a value takes that lies in memory of its own.
func whole(k *dedup.Legible) int64 {
	if k.Flat {
		return block(k.Size)
	}
	return scanned(k.Size)
}

// boxed returns what an interface keeps alive that holds v.
func (w *walk) boxed(v reflect.Value, far int) int64 {
	switch v.Kind() {
	case reflect.Invalid, reflect.Bool, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return 0
	case reflect.Pointer, reflect.Map:
		return w.behind(v, dedup.LegibleOf(v.Type()), far)
	default:
		k := dedup.LegibleOf(v.Type())
		return whole(k) + w.behind(v, k, far+1)
	}
}

func (w *walk) slice(v reflect.Value, far int) int64 {
	elem := dedup.LegibleOf(v.Type().Elem())
	size := elem.Size * int64(v.Cap())
	if size == 0 || !w.new(v.UnsafePointer()) {
		return 0
	}
	if elem.Flat {
		return block(size)
	}
	sum := scanned(size)
	for i := range v.Len() {
		sum += w.behind(v.Index(i), elem, far+1)
	}
	return sum
}

func (w *walk) mapping(v reflect.Value, far int) int64 {
	if v.IsNil() || !w.new(v.UnsafePointer()) {
		return 0
	}
	if v.CanInterface() { // the two maps that nearly all objects have, without an allocation
		switch m := v.Interface().(type) {
		case map[string]string:
			return texts(m)
		case map[string]any:
			return w.content(m, far)
		}
	}
	key, elem := dedup.LegibleOf(v.Type().Key()), dedup.LegibleOf(v.Type().Elem())
	sum := mapBytes(v.Len(), key.Size, elem.Size)
	if key.Flat && elem.Flat {
		return sum
	}
	k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
	for entry := v.MapRange(); entry.Next(); {
		k.SetIterKey(entry)
		e.SetIterValue(entry)
		sum += w.behind(k, key, far+1) + w.behind(e, elem, far+1)
	}
	return sum
}

const (
	textHead = 16
	anyHead  = 16
)

func texts(m map[string]string) int64 {
	sum := mapBytes(len(m), textHead, textHead)
	for k, v := range m {
		sum += text(len(k)) + text(len(v))
	}
	return sum
}

// content is of a part of an unstructured object.
func (w *walk) content(m map[string]any, far int) int64 {
	sum := mapBytes(len(m), textHead, anyHead)
	for k, v := range m {
		sum += text(len(k)) + w.boxed(reflect.ValueOf(v), far+1)
	}
	return sum
}

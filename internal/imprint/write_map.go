package imprint

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// The forms of a map. Entries end with a zero. Each begins with its key: twice one more than the length, and one
// more than that if the value differs from that of the same key.
const (
	noMap      = iota
	newMap     // its entries
	changedMap // the keys that only the other has, and the entries that differ
)

// writeText and writeAny write values of maps.
func writeText(w *Writer, a, b string, _ int) bool { return w.text(a, b) }

func writeAny(w *Writer, a, b any, depth int) bool {
	if w.err != nil {
		return false
	}
	if depth >= maxDepth {
		w.fail("it is nested more than %d deep", maxDepth)
		return false
	}
	return w.dynamic(a, b, depth+1)
}

// writeMap writes the first of two maps relative to the second.
func writeMap[V any](w *Writer, both [2]map[string]V, depth int, diff func(w *Writer, a, b V, depth int) bool) bool {
	a, b := both[0], both[1]
	if differs, done := w.withoutEntries(reflect.ValueOf(a), reflect.ValueOf(b)); done {
		return differs
	}
	var gone []string
	for key := range b {
		if _, there := a[key]; !there {
			gone = append(gone, key)
		}
	}
	begin := len(w.buf)
	differs := w.beginMap(len(b), gone)
	if differs && w.buf[begin] == newMap {
		b = nil
	}
	for _, key := range slices.Sorted(maps.Keys(a)) {
		like, there := b[key]
		at := w.key(key)
		switch changed := diff(w, a[key], like, depth); {
		case changed:
			w.buf[at] |= 1
			differs = true
		case there:
			w.buf = w.buf[:at]
		default:
			differs = true
		}
	}
	if !differs {
		w.buf = w.buf[:begin]
		return false
	}
	w.byte(0)
	return true
}

// mapping is writeMap for maps of any type.
func (w *Writer) mapping(p *plan, a, b reflect.Value, depth int) bool {
	if differs, done := w.withoutEntries(a, b); done {
		return differs
	}
	var gone []string
	for key := range b.Seq() {
		if !a.MapIndex(key).IsValid() {
			gone = append(gone, key.String())
		}
	}
	begin := len(w.buf)
	differs := w.beginMap(b.Len(), gone)
	fresh := differs && w.buf[begin] == newMap
	keys := slices.SortedFunc(a.Seq(), func(x, y reflect.Value) int { return strings.Compare(x.String(), y.String()) })
	value, like := reflect.New(p.elem.typ), reflect.New(p.elem.typ)
	for _, key := range keys {
		value.Elem().Set(a.MapIndex(key))
		like.Elem().SetZero()
		there := false
		if !fresh {
			if known := b.MapIndex(key); known.IsValid() {
				like.Elem().Set(known)
				there = true
			}
		}
		at := w.key(key.String())
		switch changed := w.diff(p.elem, value.UnsafePointer(), like.UnsafePointer(), depth); {
		case changed:
			w.buf[at] |= 1
			differs = true
		case there:
			w.buf = w.buf[:at]
		default:
			differs = true
		}
	}
	if !differs {
		w.buf = w.buf[:begin]
		return false
	}
	w.byte(0)
	return true
}

// withoutEntries writes a map if that takes no look at its entries.
func (w *Writer) withoutEntries(a, b reflect.Value) (differs, done bool) {
	switch {
	case a.IsNil() != b.IsNil():
		if a.IsNil() {
			w.byte(noMap)
		}
		return true, a.IsNil()
	case a.UnsafePointer() == b.UnsafePointer(), a.Len() == 0 && b.Len() == 0:
		return false, true
	}
	return false, false
}

// beginMap reports whether the map differs already. It is written as a new one if more than half of the other one is gone.
func (w *Writer) beginMap(others int, gone []string) bool {
	if others == 0 || 2*len(gone) > others {
		w.byte(newMap)
		return true
	}
	w.byte(changedMap)
	slices.Sort(gone)
	for _, key := range gone {
		w.key(key)
	}
	w.byte(0)
	return len(gone) > 0
}

// key writes a key, and returns where.
func (w *Writer) key(key string) (at int) {
	at = len(w.buf)
	w.count((len(key) + 1) << 1)
	w.buf = append(w.buf, key...)
	return at
}

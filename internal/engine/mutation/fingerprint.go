package mutation

import (
	"fmt"
	"hash/maphash"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/delta-runtime/delta-runtime/internal/api/dedup"
)

// fingerprintDepth is how deep a part may be and still have a mark of its own:
// ObjectMeta.Labels["app"] is at depth 3. Anything deeper belongs to the part that it is
// in.
const fingerprintDepth = 3

// fingerprint has a mark for each part of an object. Parts come before what they
// are in, so the last one is the whole.
type fingerprint []mark

// mark is a part's place and content. Both are hashes: the text of a path is
// made only when there is something to report.
type mark struct{ place, content uint64 }

// takeFingerprint returns nil if object leads to too much.
func takeFingerprint(object any) fingerprint {
	w := walk{left: most, marking: true, marks: make(fingerprint, 0, 128)}
	w.visit(reflect.ValueOf(object), spot{})
	if w.left < 0 {
		return nil
	}
	return slices.Clone(w.marks) // which has no room to spare
}

// matches reports whether object is what it was when f was taken.
func (f fingerprint) matches(object any) bool {
	w := walk{left: most}
	return w.visit(reflect.ValueOf(object), spot{}) == f[len(f)-1].content && w.left >= 0
}

// mostPaths is how many parts are named.
const mostPaths = 20

// changedPaths names the deepest parts of object that are not what they were when
// f was taken. A part that is gone changes the one that it was in.
func (f fingerprint) changedPaths(object any) []string {
	before := make(map[uint64]uint64, len(f))
	for _, m := range f {
		before[m.place] = m.content
	}
	w := walk{left: most, marking: true, naming: true}
	w.visit(reflect.ValueOf(object), spot{})
	var changed []string
	var within [fingerprintDepth + 2]bool // by depth: whether the part to come has a changed one in it
	for i, m := range w.marks {
		at := w.spots[i]
		deeper := within[at.depth+1]
		within[at.depth+1] = false
		if was, ok := before[m.place]; ok && was == m.content {
			continue
		}
		within[at.depth] = true
		if !deeper {
			changed = append(changed, strings.TrimPrefix(at.path, "."))
		}
	}
	slices.Sort(changed)
	return changed[:min(len(changed), mostPaths)]
}

// walk goes through an object, depth first, and hashes what it sees. It reads what anybody may read of a published
// object, and nothing else: see [dedup.Legible].
type walk struct {
	left    int // how many values it may still visit; negative if there were more
	marking bool
	marks   fingerprint // if marking
	naming  bool
	spots   []spot // of marks, if naming
}

// spot is where in the object the walk is.
type spot struct {
	place uint64
	depth int
	path  string // if naming
}

// deepest is where the walk does not go on: no API type is that deep, a cycle is.
const deepest = 100

// most is how many values a walk visits. It is in the way of the informer, and a value that leads to itself in several
// ways has no end.
const most = 100_000

var (
	timeType     = reflect.TypeFor[time.Time]()
	quantityType = reflect.TypeFor[resource.Quantity]()
)

// visit returns the hash of v, and leaves its mark if marking.
func (w *walk) visit(v reflect.Value, at spot) uint64 {
	if w.left < 0 {
		return 0
	}
	content := w.content(v, at)
	if w.marking && at.depth <= fingerprintDepth {
		w.marks = append(w.marks, mark{at.place, content})
		if w.naming {
			w.spots = append(w.spots, at)
		}
	}
	return content
}

// inner visits a part of the one at a spot; name is its place in there.
func (w *walk) inner(v reflect.Value, at spot, name uint64, text func() string) uint64 {
	at.place = mix(at.place, name+1) // a first part is not in the place of what it is in
	at.depth++
	if w.naming && at.depth <= fingerprintDepth {
		at.path += text()
	}
	return w.visit(v, at)
}

func (w *walk) content(v reflect.Value, at spot) uint64 {
	for ; (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && w.left >= 0; w.left-- {
		v = v.Elem() // of nil it is the invalid Value
	}
	if w.left--; at.depth > deepest {
		return 0
	}
	h := uint64(v.Kind())
	if v.IsValid() && isForeign(v.Type()) {
		return h
	}
	switch v.Kind() {
	case reflect.Struct:
		return w.fields(v, at, h)
	case reflect.Map:
		return w.entries(v, at, h)
	case reflect.Slice, reflect.Array:
		return w.elements(v, at, h)
	default:
		return mix(h, scalar(v))
	}
}

func (w *walk) fields(v reflect.Value, at spot, h uint64) uint64 {
	if v.Type() == timeType {
		// Its third field leads to what all times of a zone share and fill in as needed.
		return mix(mix(h, v.Field(0).Uint()), uint64(v.Field(1).Int()))
	}
	if v.Type() == quantityType && !v.CanAddr() {
		// In a map it has no address, so that nobody can write to it. Elsewhere methods that only read it do.
		q := v.Interface().(resource.Quantity)
		number, suffix := q.CanonicalizeBytes(nil)
		h = mix(mix(h, maphash.Bytes(fingerprintSeed, number)), maphash.Bytes(fingerprintSeed, suffix))
	}
	for _, f := range dedup.LegibleOf(v.Type()).Fields { // a foreign type has none
		h = mix(h, w.inner(v.Field(f.Index), at, uint64(f.Index), func() string { return "." + v.Type().Field(f.Index).Name }))
	}
	return h
}

func (w *walk) entries(v reflect.Value, at spot, h uint64) uint64 {
	var sum uint64 // a map has no order
	for entry := v.MapRange(); entry.Next(); {
		key := scalar(entry.Key())
		text := func() string { return fmt.Sprintf("[%q]", keyText(entry.Key())) }
		sum += mix(key, w.inner(entry.Value(), at, key, text))
	}
	return mix(mix(h, uint64(v.Len())), sum)
}

func (w *walk) elements(v reflect.Value, at spot, h uint64) uint64 {
	h = mix(h, uint64(v.Len()))
	if elem := v.Type().Elem(); v.Kind() == reflect.Slice && elem.Kind() == reflect.Uint8 && !isForeign(elem) {
		return mix(h, maphash.Bytes(fingerprintSeed, v.Bytes()))
	}
	for i := range v.Len() {
		h = mix(h, w.inner(v.Index(i), at, uint64(i), func() string { return fmt.Sprintf("[%d]", i) }))
	}
	return h
}

// isForeign spares the types that have no methods a look, and structs a second one.
func isForeign(t reflect.Type) bool {
	return t.PkgPath() != "" && t.Kind() != reflect.Struct && dedup.LegibleOf(t).Foreign
}

var fingerprintSeed = maphash.MakeSeed()

func scalar(v reflect.Value) uint64 {
	switch v.Kind() {
	case reflect.String:
		return maphash.String(fingerprintSeed, v.String())
	case reflect.Bool:
		if v.Bool() {
			return 1
		}
		return 0
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return uint64(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return v.Uint()
	case reflect.Float32, reflect.Float64:
		return math.Float64bits(v.Float())
	case reflect.Complex64, reflect.Complex128:
		return mix(math.Float64bits(real(v.Complex())), math.Float64bits(imag(v.Complex())))
	case reflect.Interface, reflect.Struct, reflect.Array, reflect.Pointer: // as keys of a map only, where they are rare
		return maphash.Comparable(fingerprintSeed, v.Interface()) // which is not what a pointer leads to
	default: // nothing, or what has no content to compare: a func, a channel
		return 0
	}
}

// keyText is a key of a map for people. It does not read what a pointer leads to, which nobody may.
func keyText(key reflect.Value) string {
	if key.Kind() == reflect.Interface {
		key = key.Elem()
	}
	if key.Kind() == reflect.Pointer {
		return key.Type().String()
	}
	return fmt.Sprint(key)
}

// mix adds x to a hash. It need not withstand anybody.
func mix(h, x uint64) uint64 { return (bits.RotateLeft64(h, 5) ^ x) * 0x9E3779B97F4A7C15 }

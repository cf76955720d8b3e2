package imprint

import (
	"encoding/binary"
	"maps"
	"math"
	"math/big"
	"reflect"
	"time"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"
)

func (r *Reader) moment(into *time.Time) {
	form := r.byte()
	var seconds, nanos int64
	switch form {
	case noTime:
	case localTime:
		seconds = r.varint()
	case localNanos, utcNanos:
		seconds, nanos = r.varint(), r.varint()
	default:
		r.bad = true
	}
	if nanos < 0 || nanos >= int64(time.Second) {
		r.bad = true
		return
	}
	*into = timeOf(form, seconds, nanos)
}

func (r *Reader) amount(into unsafe.Pointer) {
	form, scale := r.byte(), int64(0)
	made := quantity{}
	switch form {
	case wholeAmount:
		made.value, scale = r.varint(), r.varint()
		made.scale = int32(scale) //nolint:gosec // it is looked at below
	case largeAmount:
		scale = r.varint()
		made.other = r.large(scale)
	default:
		r.bad = true
	}
	made.text = r.name(r.uvarint())
	format := int(r.byte())
	if r.bad || format >= len(formats) || scale > maxScale || scale < -maxScale {
		r.bad = true
		return
	}
	made.format = formats[format]
	*(*quantity)(into) = made
}

// large reads what of a quantity does not fit into 64 bits.
func (r *Reader) large(scale int64) unsafe.Pointer {
	sign, raw := r.byte(), r.bytes(r.uvarint())
	if r.bad || sign > 2 || len(raw) > maxDigits || scale > maxScale || scale < -maxScale {
		r.bad = true
		return nil
	}
	unscaled := new(big.Int).SetBytes(raw)
	if sign == 0 {
		unscaled.Neg(unscaled)
	}
	zero := quantity{scale: int32(-scale)} //nolint:gosec // it was looked at
	(*resource.Quantity)(unsafe.Pointer(&zero)).AsDec().SetUnscaledBig(unscaled)
	return zero.other
}

const (
	maxNames      = 4096
	maxNameLength = 64
)

// name reads a text of a length that is likely to come again, and makes one of those that it has read before.
func (r *Reader) name(length uint64) string {
	raw := r.bytes(length)
	if known, ok := r.names[string(raw)]; ok {
		return known
	}
	made := string(raw)
	if len(made) <= maxNameLength {
		if len(r.names) >= maxNames {
			clear(r.names)
		}
		r.names[made] = made
	}
	return made
}

func (r *Reader) dynamic(into *any, depth int) {
	switch r.byte() {
	case nothing:
		*into = nil
	case isFalse:
		*into = false
	case isTrue:
		*into = true
	case anInteger:
		*into = r.varint()
	case aFloat:
		if raw := r.bytes(8); raw != nil {
			*into = math.Float64frombits(binary.LittleEndian.Uint64(raw))
		}
	case aText:
		made, _ := (*into).(string)
		r.text(&made)
		*into = made
	case aList:
		made, _ := (*into).([]any)
		r.list(anyList, (*header)(unsafe.Pointer(&made)), depth)
		*into = made
	case aMap:
		made, _ := (*into).(map[string]any)
		*into = readMap(r, made, depth, readAny)
	default:
		r.bad = true
	}
}

// readText and readAny read values of maps.
func readText(r *Reader, into *string, _ int) { r.text(into) }

func readAny(r *Reader, into *any, depth int) {
	if depth >= maxDepth {
		r.bad = true
		return
	}
	r.dynamic(into, depth+1)
}

// readMap returns a map that differs from another one.
func readMap[V any](r *Reader, like map[string]V, depth int, read func(r *Reader, into *V, depth int)) map[string]V {
	var made map[string]V
	switch r.byte() {
	case noMap:
		return nil
	case newMap:
		made = map[string]V{}
	case changedMap:
		if made = maps.Clone(like); made == nil {
			r.bad = true
			return nil
		}
		for key, _, more := r.key(""); more; key, _, more = r.key(key) {
			delete(made, key)
		}
	default:
		r.bad = true
		return nil
	}
	for key, differs, more := r.key(""); more && !r.bad; key, differs, more = r.key(key) {
		value := made[key]
		if differs {
			read(r, &value, depth)
		}
		made[key] = value
	}
	return made
}

// key reads a key of a map, and whether its value follows. There is none at the end. Keys come in order, so none comes twice.
func (r *Reader) key(last string) (key string, differs, more bool) {
	n := r.uvarint()
	if n < 2 || r.bad {
		r.bad = r.bad || n == 1
		return "", false, false
	}
	key = r.name(n>>1 - 1)
	r.bad = r.bad || key < last || key == last && last != ""
	return key, n&1 != 0, !r.bad
}

// mapping is readMap for maps of any type.
func (r *Reader) mapping(p *plan, into reflect.Value, depth int) {
	made := reflect.Zero(p.typ)
	switch r.byte() {
	case noMap:
		into.SetZero()
		return
	case newMap:
		made = reflect.MakeMap(p.typ)
	case changedMap:
		if into.IsNil() {
			r.bad = true
			return
		}
		made = reflect.MakeMapWithSize(p.typ, into.Len())
		for key, value := range into.Seq2() {
			made.SetMapIndex(key, value)
		}
		for key, _, more := r.key(""); more; key, _, more = r.key(key) {
			made.SetMapIndex(reflect.ValueOf(key).Convert(p.typ.Key()), reflect.Value{})
		}
	default:
		r.bad = true
		return
	}
	value := reflect.New(p.elem.typ)
	for name, differs, more := r.key(""); more && !r.bad; name, differs, more = r.key(name) {
		key := reflect.ValueOf(name).Convert(p.typ.Key())
		value.Elem().SetZero()
		if known := made.MapIndex(key); known.IsValid() {
			value.Elem().Set(known)
		}
		if differs {
			r.read(p.elem, value.UnsafePointer(), depth)
		}
		made.SetMapIndex(key, value.Elem())
	}
	into.Set(made)
}

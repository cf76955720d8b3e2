package decode

import (
	"maps"
	"reflect"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// repeated decodes the values of a field that begin with data and follow each other. It returns what is behind
// them.
func (d *Decoder) repeated(f *protoField, data []byte, into, like unsafe.Pointer) (rest []byte, ok bool) {
	switch f.plan.sort {
	case list:
		return d.protoList(f, data, into, like)
	case texts:
		return d.protoTexts(f, data, into, like)
	case amounts:
		return d.protoAmounts(f, data, into, like)
	case mapping:
		return d.protoMap(f, data, into, like)
	default:
		return nil, false
	}
}

// nextOf reads the next value of a field. None is left if another field comes.
func (f *protoField) nextOf(data []byte) (v protoValue, rest []byte, more, ok bool) {
	if len(data) == 0 {
		return v, data, false, true
	}
	number, v, rest, ok := nextField(data)
	if ok && number != f.number {
		return v, data, false, true
	}
	return v, rest, true, ok
}

func (d *Decoder) protoList(f *protoField, data []byte, into, like unsafe.Pointer) (rest []byte, ok bool) {
	p := f.plan
	if p.elem.beginsEmpty() {
		return nil, false
	}
	known := at[header](like)
	if size := d.allOf(f, data, known.data, known.len); size > 0 {
		known.cap = known.len
		*(*header)(into) = known
		return data[size:], true
	}
	all := data
	many := d.borrowMany(p)
	for {
		v, rest, more, ok := f.nextOf(data)
		if !ok {
			return nil, false
		}
		if !more {
			if d.keepList(p, into, known, many) {
				d.parts.learn(all[:len(all)-len(rest)], p, known.data, known.len)
			}
			return rest, true
		}
		element, other := many.next(p, known)
		if !d.protoValue(p.elem, v, element, other) {
			return nil, false
		}
		data = rest
	}
}

// entry reads an entry of a map: a key and a value, in this order.
func entry(v protoValue) (key []byte, value protoValue, ok bool) {
	if v.sort != protowire.BytesType {
		return nil, value, false
	}
	number, first, rest, ok := nextField(v.bytes)
	if !ok || number != 1 || first.sort != protowire.BytesType {
		return nil, value, false
	}
	number, value, rest, ok = nextField(rest)
	return first.bytes, value, ok && number == 2 && len(rest) == 0
}

// protoTexts decodes a map[string]string. It makes none until it sees that it is not the one at like.
func (d *Decoder) protoTexts(f *protoField, data []byte, into, like unsafe.Pointer) (rest []byte, ok bool) {
	known := at[map[string]string](like)
	if known != nil {
		place := at[unsafe.Pointer](like)
		size := d.allOf(f, data, place, 0)
		rest, ok := data[size:], size > 0
		if !ok {
			if rest, ok = f.areTexts(data, known); ok {
				d.parts.learn(data[:len(data)-len(rest)], f.plan, place, 0)
			}
		}
		if ok {
			*(*map[string]string)(into) = known
			return rest, true
		}
	}
	made := make(map[string]string, len(known))
	for n := 0; ; n++ {
		v, rest, more, ok := f.nextOf(data)
		if !ok || len(made) != n {
			return nil, false
		}
		if !more {
			if known != nil && maps.Equal(made, known) {
				made = known // in another order
			}
			*(*map[string]string)(into) = made
			return rest, true
		}
		name, value, ok := entry(v)
		if !ok || value.sort != protowire.BytesType {
			return nil, false
		}
		key := d.names.of(name)
		other := known[key]
		made[key] = keep(value.bytes, unsafe.Pointer(&other))
		data = rest
	}
}

// areTexts reports whether the next entries are those of known, with their keys in order, so that none comes
// twice.
func (f *protoField) areTexts(data []byte, known map[string]string) (rest []byte, ok bool) {
	var last []byte
	for n := 0; ; n++ {
		v, rest, more, ok := f.nextOf(data)
		if !ok {
			return nil, false
		}
		if !more {
			return rest, n == len(known)
		}
		name, value, ok := entry(v)
		if !ok || value.sort != protowire.BytesType || n > 0 && string(name) <= string(last) {
			return nil, false
		}
		if wanted, there := known[string(name)]; !there || wanted != string(value.bytes) {
			return nil, false
		}
		last, data = name, rest
	}
}

// protoAmounts decodes a corev1.ResourceList.
func (d *Decoder) protoAmounts(f *protoField, data []byte, into, like unsafe.Pointer) (rest []byte, ok bool) {
	known, place := at[corev1.ResourceList](like), at[unsafe.Pointer](like)
	if size := d.allOf(f, data, place, 0); size > 0 {
		*(*corev1.ResourceList)(into) = known
		return data[size:], true
	}
	all := data
	d.amountsRead = d.amountsRead[:0]
	same := known != nil
	for {
		v, rest, more, ok := f.nextOf(data)
		if !ok {
			return nil, false
		}
		if !more {
			if same && len(d.amountsRead) == len(known) {
				d.parts.learn(all[:len(all)-len(rest)], f.plan, place, 0)
				*(*corev1.ResourceList)(into) = known
				return rest, true
			}
			return rest, d.newAmounts((*corev1.ResourceList)(into))
		}
		name, value, ok := entry(v)
		if !ok || value.sort != protowire.BytesType {
			return nil, false
		}
		var q resource.Quantity
		if !d.measures.read(value.bytes, &q) {
			return nil, false
		}
		same = d.addAmount(name, q, known) && same
		data = rest
	}
}

// protoMap decodes any other map whose keys are strings.
func (d *Decoder) protoMap(f *protoField, data []byte, into, like unsafe.Pointer) (rest []byte, ok bool) {
	p := f.plan
	listed := p.elem.beginsEmpty()
	if listed && p.elem.sort != list {
		return nil, false
	}
	entries := reflect.NewAt(p.Type, into).Elem()
	entries.Set(reflect.MakeMap(p.Type))
	key := reflect.New(p.Type.Key()).Elem()
	for n := 0; ; n++ {
		v, rest, more, ok := f.nextOf(data)
		if !ok || entries.Len() != n {
			return nil, false
		}
		if !more {
			if like != nil {
				p.Share(into, like)
			}
			return rest, true
		}
		name, value, ok := entry(v)
		if !ok {
			return nil, false
		}
		made := reflect.New(p.elem.Type)
		if listed {
			made.Elem().Set(reflect.MakeSlice(p.elem.Type, 0, 0))
		}
		if !d.protoValue(p.elem, value, made.UnsafePointer(), nil) {
			return nil, false
		}
		key.SetString(d.names.of(name))
		entries.SetMapIndex(key, made.Elem())
		data = rest
	}
}

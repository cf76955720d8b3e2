package decode

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"time"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Proto is JSON for an object in protobuf, without what is wrapped around it.
func (d *Decoder) Proto(data []byte, like any) (obj any, ok bool) {
	if d.of.free || !d.of.root.byField() {
		return nil, false
	}
	defer d.forget()
	d.depth = 0
	made := reflect.New(d.of.empty)
	if !d.message(d.of.root, data, made.UnsafePointer(), d.pointTo(like)) {
		return nil, false
	}
	return made.Interface(), true
}

// A protoValue is what stands behind a field's number.
type protoValue struct {
	sort   protowire.Type
	number uint64 // of a varint or a fixed one
	bytes  []byte
}

// nextField reads a field and returns what is behind it.
func nextField(data []byte) (number int, value protoValue, rest []byte, ok bool) {
	if len(data) > 2 && data[0] < 0x80 && data[0]&7 == byte(protowire.BytesType) && data[0] > 7 && data[1] < 0x80 {
		if end := 2 + int(data[1]); end <= len(data) { // as most are
			return int(data[0] >> 3), protoValue{sort: protowire.BytesType, bytes: data[2:end:end]}, data[end:], true
		}
	}
	id, sort, n := protowire.ConsumeTag(data)
	if n < 0 {
		return 0, value, nil, false
	}
	data = data[n:]
	switch value.sort = sort; sort {
	case protowire.VarintType:
		value.number, n = protowire.ConsumeVarint(data)
	case protowire.BytesType:
		value.bytes, n = protowire.ConsumeBytes(data)
		value.bytes = slices.Clip(value.bytes)
	case protowire.Fixed64Type:
		value.number, n = protowire.ConsumeFixed64(data)
	case protowire.Fixed32Type:
		var half uint32
		half, n = protowire.ConsumeFixed32(data)
		value.number = uint64(half)
	default: // a group, which nobody sends
		return 0, value, nil, false
	}
	if n < 0 {
		return 0, value, nil, false
	}
	return int(id), value, data[n:], true
}

// message decodes a struct. A field that comes twice would have to be merged; that is left to others.
func (d *Decoder) message(p *plan, data []byte, into, like unsafe.Pointer) bool {
	if d.depth++; d.depth > maxDepth {
		return false
	}
	var came seen
	for len(data) > 0 {
		number, value, rest, ok := nextField(data)
		if !ok {
			return false
		}
		if number >= len(p.byNumber) || p.byNumber[number] < 0 { // unknown here
			data = rest
			continue
		}
		i := p.byNumber[number]
		f := &p.proto[i]
		if i >= maxFields || !came.add(i) {
			return false
		}
		field, other := unsafe.Add(into, f.offset), within(like, f.offset)
		if f.repeated {
			rest, ok = d.repeated(f, data, field, other)
		} else {
			ok = d.protoValue(f.plan, value, field, other)
		}
		if !ok {
			return false
		}
		data = rest
	}
	d.depth--
	return true
}

// protoValue decodes one value.
func (d *Decoder) protoValue(p *plan, v protoValue, into, like unsafe.Pointer) bool {
	switch p.sort {
	case pointer:
		return d.protoPointer(p, v, into, like)
	case boolean:
		*(*bool)(into) = v.number != 0
		return v.sort == protowire.VarintType
	case signed, unsigned:
		putInt(into, int(p.Size)*8, int64(v.number)) //nolint:gosec // a varint has the bits of its number
		return v.sort == protowire.VarintType
	case float:
		return putFloat(into, v, p.Size)
	default: // what has bytes
	}
	if v.sort != protowire.BytesType {
		return false
	}
	switch {
	case p.sort == text:
		*(*string)(into) = keep(v.bytes, like)
		return true
	case p.sort == fieldSet:
		return keepFields((*metav1.FieldsV1)(into), (*metav1.FieldsV1)(like), v.bytes)
	case p.sort == amount:
		return d.measures.read(v.bytes, (*resource.Quantity)(into))
	case p.sort == moment:
		return protoMoment(v.bytes, (*metav1.Time)(into))
	case p.byField():
		return d.message(p, v.bytes, into, like)
	case p.readsItself():
		return readItself(p, v.bytes, into, like)
	case p.sort == octets:
		*(*[]byte)(into) = keepBytes(append([]byte{}, v.bytes...), like)
		return true
	}
	return false
}

func putFloat(into unsafe.Pointer, v protoValue, size uintptr) bool {
	if size == 8 {
		*(*float64)(into) = math.Float64frombits(v.number)
		return v.sort == protowire.Fixed64Type
	}
	*(*float32)(into) = math.Float32frombits(uint32(v.number)) //nolint:gosec // a fixed32 has no more
	return v.sort == protowire.Fixed32Type
}

// keepFields decodes a set of fields, which is a message with one text.
func keepFields(into, like *metav1.FieldsV1, data []byte) bool {
	if len(data) == 0 {
		return true
	}
	number, v, rest, ok := nextField(data)
	if !ok || number != 1 || v.sort != protowire.BytesType || len(rest) > 0 {
		return false
	}
	if like != nil && len(v.bytes) > 0 && bytes.Equal(like.GetRawBytes(), v.bytes) {
		*into = *like
	} else {
		into.SetRawBytes(v.bytes)
	}
	return true
}

// protoMoment decodes a metav1.Time, which is in seconds whatever is sent.
func protoMoment(data []byte, into *metav1.Time) bool {
	if len(data) == 0 {
		return true
	}
	var seconds int64
	for len(data) > 0 {
		number, v, rest, ok := nextField(data)
		if !ok || v.sort != protowire.VarintType || number > 2 {
			return false
		}
		if number == 1 {
			seconds = int64(v.number) //nolint:gosec // a varint has the bits of its number
		}
		data = rest
	}
	into.Time = time.Unix(seconds, 0).Local()
	return true
}

// readItself has a value decode itself.
func readItself(p *plan, data []byte, into, like unsafe.Pointer) bool {
	if err := reflect.NewAt(p.Type, into).Interface().(protoUnmarshaler).Unmarshal(data); err != nil {
		return false
	}
	if like != nil {
		p.Share(into, like)
	}
	return true
}

func (d *Decoder) protoPointer(p *plan, v protoValue, into, like unsafe.Pointer) bool {
	known := at[unsafe.Pointer](like)
	if p.elem.beginsEmpty() {
		return false
	}
	if size := d.parts.begins(v.bytes, p, known, 0); size > 0 && size == len(v.bytes) {
		*(*unsafe.Pointer)(into) = known
		return true
	}
	made := d.borrow(p)
	target := made.UnsafePointer()
	if !d.protoValue(p.elem, v, target, known) {
		return false
	}
	if known != nil && p.elem.Equal(target, known) {
		d.giveBack(p, made)
		d.parts.learn(v.bytes, p, known, 0)
		target = known
	}
	*(*unsafe.Pointer)(into) = target
	return true
}

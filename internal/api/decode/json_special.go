package decode

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"time"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// moment decodes a time as metav1.Time does, without a second reader for the text.
func (d *Decoder) moment(into unsafe.Pointer) bool {
	read, ok := d.cursor.text()
	if !ok {
		return false
	}
	parsed, err := time.Parse(time.RFC3339, unsafe.String(unsafe.SliceData(read), len(read)))
	(*metav1.Time)(into).Time = parsed.Local()
	return err == nil
}

// either decodes a number or a text as intstr.IntOrString does.
func (d *Decoder) either(into, like unsafe.Pointer) bool {
	made := (*intstr.IntOrString)(into)
	if d.peek() == '"' {
		made.Type = intstr.String
		return d.text(unsafe.Pointer(&made.StrVal), within(like, unsafe.Offsetof(made.StrVal)))
	}
	read, _, ok := d.number()
	if !ok {
		return false
	}
	n, err := strconv.ParseInt(string(read), 10, 32)
	made.Type, made.IntVal = intstr.Int, int32(n)
	return err == nil
}

// fieldSet keeps the text of a managed field set as metav1.FieldsV1 does. An equal one begins with the same
// bytes: a whole JSON object, which the one at like is, can't be the beginning of another.
func (d *Decoder) fieldSet(into, like unsafe.Pointer, depth int) bool {
	made := (*metav1.FieldsV1)(into)
	if d.peek() != '{' {
		return false
	}
	if known := (*metav1.FieldsV1)(like); known != nil {
		if raw := known.GetRawBytes(); len(raw) > 1 && raw[0] == '{' && bytes.HasPrefix(d.data[d.pos:], raw) {
			d.pos += len(raw)
			*made = *known
			return true
		}
	}
	raw, ok := d.raw(depth)
	if ok {
		made.SetRawBytes(raw)
	}
	return ok
}

// custom has a value decode itself. Code that nobody here knows gets bytes that it may keep.
func (d *Decoder) custom(p *plan, into, like unsafe.Pointer, depth int) bool {
	raw, ok := d.raw(depth)
	if !ok {
		return false
	}
	if p.lends {
		raw = bytes.Clone(raw)
	}
	if err := reflect.NewAt(p.Type, into).Interface().(json.Unmarshaler).UnmarshalJSON(raw); err != nil {
		return false
	}
	if like != nil {
		p.Share(into, like) // of what lends it knows to keep away
	}
	return true
}

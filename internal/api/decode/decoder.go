package decode

import (
	"reflect"
	"unsafe"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// A Decoder decodes objects of one type. It is for one goroutine.
type Decoder struct {
	cursor
	of          *Type
	spares      []spare // by the id of a plan
	pairs       []pair  // of the JSON objects that are being read
	values      []any   // of the JSON arrays that are being read
	amountsRead []quantity
	names       names
	parts       recall
	measures    measures
	depth       int // of messages
}

// NewDecoder returns a Decoder for objects of the type.
func (t *Type) NewDecoder() *Decoder {
	return &Decoder{of: t, spares: make([]spare, t.plans), names: names{}, measures: measures{}}
}

// JSON decodes the object at the beginning of data, and returns where it ends. The parts that are equal in like,
// an object of the same type or nil, are not made but shared with it, so like and the object must not be changed any more. The
// managed field sets of like must be JSON, as those of each API server are: that is not checked, because it would
// take half of the time. It reports false if data does not begin with what it knows for certain, or ends too soon.
func (d *Decoder) JSON(data []byte, like any) (obj any, end int, ok bool) {
	d.data, d.pos = data, 0
	defer d.forget()
	if d.of.free {
		return d.unstructured(like)
	}
	made := reflect.New(d.of.empty)
	if d.peek() != '{' || !d.decode(d.of.root, made.UnsafePointer(), d.pointTo(like), 0) {
		return nil, 0, false
	}
	return made.Interface(), d.pos, true
}

// unstructured is JSON for objects of no Go type.
func (d *Decoder) unstructured(like any) (obj any, end int, ok bool) {
	var known any
	if u, is := like.(*unstructured.Unstructured); is && u != nil {
		known = u.Object
	}
	if d.peek() != '{' {
		return nil, 0, false
	}
	value, _, ok := d.object(known, 0)
	if !ok {
		return nil, 0, false
	}
	return &unstructured.Unstructured{Object: value.(map[string]any)}, d.pos, true
}

// forget lets go of the bytes, and of memory that is large.
func (d *Decoder) forget() {
	d.data = nil
	d.scratch, d.pairs, d.values = modest(d.scratch), modest(d.pairs), modest(d.values)
	d.amountsRead = modest(d.amountsRead)
}

// modest returns what may be kept to be used again.
func modest[T any](list []T) []T {
	if uintptr(cap(list))*unsafe.Sizeof(*new(T)) > maxSpare {
		return nil
	}
	return list
}

// pointTo returns where like is, or nil if nothing of it can be shared.
func (d *Decoder) pointTo(like any) unsafe.Pointer {
	v := reflect.ValueOf(like)
	if !v.IsValid() || v.Kind() != reflect.Pointer || v.Type().Elem() != d.of.empty {
		return nil
	}
	return v.UnsafePointer()
}

// at returns the value at a place, and a zero one of no place.
func at[T any](place unsafe.Pointer) (value T) {
	if place != nil {
		value = *(*T)(place)
	}
	return value
}

// within returns a place that far behind another one, and no place if there is none.
func within(place unsafe.Pointer, offset uintptr) unsafe.Pointer {
	if place == nil {
		return nil
	}
	return unsafe.Add(place, offset)
}

// header is how a slice stands in memory.
type header struct {
	data     unsafe.Pointer
	len, cap int
}

// spare is memory of a plan's type in which a value is decoded: if it turns out to be equal to another one, it
// need not be made. All of it is zero while it is kept.
type spare struct {
	one  reflect.Value // an elem of the plan, which is a pointer
	many *header       // elems of the plan, which is a list; of length 0
	list reflect.Value // many as what it is
}

// maxSpare is how many bytes are kept to decode the next value in.
const maxSpare = 64 << 10

// borrow returns an empty elem of a pointer's plan.
func (d *Decoder) borrow(p *plan) reflect.Value {
	s := &d.spares[p.id]
	if one := s.one; one.IsValid() {
		s.one = reflect.Value{}
		return one
	}
	return reflect.New(p.elem.Type)
}

// giveBack takes back what borrow returned.
func (d *Decoder) giveBack(p *plan, one reflect.Value) {
	one.Elem().SetZero()
	d.spares[p.id].one = one
}

// borrowMany returns memory for elems of a list's plan.
func (d *Decoder) borrowMany(p *plan) spare {
	s := d.spares[p.id]
	d.spares[p.id] = spare{}
	if s.many == nil {
		made := reflect.New(p.Type)
		made.Elem().Set(reflect.MakeSlice(p.Type, 0, 4))
		s.list, s.many = made.Elem(), (*header)(made.UnsafePointer())
	}
	return s
}

// next returns where the next element goes, and the one of known that is at its place, if there is one.
func (s *spare) next(p *plan, known header) (into, other unsafe.Pointer) {
	n := s.many.len
	if n == s.many.cap {
		s.list.Grow(n)
	}
	s.many.len++
	if n < known.len {
		other = unsafe.Add(known.data, uintptr(n)*p.elem.Size)
	}
	return unsafe.Add(s.many.data, uintptr(n)*p.elem.Size), other
}

// giveBackMany takes back what borrowMany returned.
func (d *Decoder) giveBackMany(p *plan, s spare) {
	s.list.Clear()
	s.many.len = 0
	if uintptr(s.many.cap)*p.elem.Size <= maxSpare {
		d.spares[p.id] = s
	}
}

package decode

import (
	"bytes"
	"encoding/base64"
	"reflect"
	"strconv"
	"unsafe"
)

// decode decodes a value into memory that is zero. like is a value of the same type, or nil.
func (d *Decoder) decode(p *plan, into, like unsafe.Pointer, depth int) bool {
	if depth > maxDepth {
		return false
	}
	if d.peek() == 'n' && p.sort != custom {
		return d.word("null") // which leaves it as it is
	}
	switch p.sort {
	case text:
		return d.text(into, like)
	case boolean:
		return d.boolean(into)
	case signed, unsigned, float:
		return d.numeric(p, into)
	case octets:
		return d.octets(into, like)
	case pointer:
		return d.pointer(p, into, like, depth)
	case list:
		return d.list(p, into, like, depth)
	case texts:
		return d.texts(into, like)
	case amounts:
		return d.amounts(into, like)
	case mapping:
		return d.mapping(p, into, like, depth)
	case structure:
		return d.structure(p, into, like, depth)
	case dynamic:
		return d.dynamic(into, like, depth)
	case moment:
		return d.moment(into)
	case either:
		return d.either(into, like)
	case fieldSet:
		return d.fieldSet(into, like, depth)
	default: // amount, custom
		return d.custom(p, into, like, depth)
	}
}

func (d *Decoder) text(into, like unsafe.Pointer) bool {
	read, ok := d.cursor.text()
	if ok {
		*(*string)(into) = keep(read, like)
	}
	return ok
}

// keep returns a string of its own, or that at like if it is the same.
func keep(read []byte, like unsafe.Pointer) string {
	if known := at[string](like); known == string(read) {
		return known
	}
	return string(read)
}

func (d *Decoder) boolean(into unsafe.Pointer) bool {
	if d.peek() == 't' {
		*(*bool)(into) = true
		return d.word("true")
	}
	return d.word("false")
}

func (d *Decoder) numeric(p *plan, into unsafe.Pointer) bool {
	read, _, ok := d.number()
	if !ok {
		return false
	}
	written := unsafe.String(unsafe.SliceData(read), len(read)) // which nobody keeps
	bits := int(p.Size) * 8
	switch p.sort {
	case signed:
		n, err := strconv.ParseInt(written, 10, bits)
		putInt(into, bits, n)
		return err == nil
	case unsigned:
		n, err := strconv.ParseUint(written, 10, bits)
		putInt(into, bits, int64(n)) //nolint:gosec // the bits are the same
		return err == nil
	default: // float
		n, err := strconv.ParseFloat(written, bits)
		if bits == 32 {
			*(*float32)(into) = float32(n)
		} else {
			*(*float64)(into) = n
		}
		return err == nil
	}
}

// putInt sets an integer of so many bits.
func putInt(into unsafe.Pointer, bits int, n int64) {
	switch bits {
	case 8:
		*(*int8)(into) = int8(n)
	case 16:
		*(*int16)(into) = int16(n)
	case 32:
		*(*int32)(into) = int32(n)
	default:
		*(*int64)(into) = n
	}
}

func (d *Decoder) octets(into, like unsafe.Pointer) bool {
	read, ok := d.cursor.text()
	if !ok {
		return false
	}
	made := make([]byte, base64.StdEncoding.DecodedLen(len(read)))
	n, err := base64.StdEncoding.Decode(made, read)
	if err != nil {
		return false
	}
	*(*[]byte)(into) = keepBytes(made[:n], like)
	return true
}

// keepBytes returns made, or the bytes at like if they are the same.
func keepBytes(made []byte, like unsafe.Pointer) []byte {
	if known := at[[]byte](like); known != nil && bytes.Equal(known, made) {
		return known[:len(known):len(known)]
	}
	return made
}

func (d *Decoder) pointer(p *plan, into, like unsafe.Pointer, depth int) bool {
	known, made := at[unsafe.Pointer](like), d.borrow(p)
	target := made.UnsafePointer()
	if !d.decode(p.elem, target, known, depth+1) {
		return false
	}
	if known != nil && p.elem.Equal(target, known) {
		d.giveBack(p, made)
		target = known
	}
	*(*unsafe.Pointer)(into) = target
	return true
}

func (d *Decoder) list(p *plan, into, like unsafe.Pointer, depth int) bool {
	if !d.take('[') {
		return false
	}
	known, many := at[header](like), d.borrowMany(p)
	for more := !d.take(']'); more; {
		element, other := many.next(p, known)
		if !d.decode(p.elem, element, other, depth+1) {
			return false
		}
		var ok bool
		if more, ok = d.more(']'); !ok {
			return false
		}
	}
	d.keepList(p, into, known, many)
	return true
}

// keepList puts the list in place that was decoded into many, or known if it is the same. It reports which.
func (d *Decoder) keepList(p *plan, into unsafe.Pointer, known header, many spare) (same bool) {
	n := many.many.len
	if p.elem.lends { // somebody may have kept where the elements are
		*(*header)(into) = header{data: many.many.data, len: n, cap: n}
		return false
	}
	if same = known.data != nil && known.len == n && p.elem.AllEqual(many.many.data, known.data, n); same {
		known.cap = known.len // who appends must not write behind its end
		*(*header)(into) = known
	} else {
		made := reflect.MakeSlice(p.Type, n, n)
		reflect.Copy(made, many.list)
		*(*header)(into) = header{data: made.UnsafePointer(), len: n, cap: n}
	}
	d.giveBackMany(p, many)
	return same
}

func (d *Decoder) structure(p *plan, into, like unsafe.Pointer, depth int) bool {
	if !d.take('{') {
		return false
	}
	if d.take('}') {
		return true
	}
	var came seen
	for next := 0; ; {
		i, ok := d.field(p, next)
		switch {
		case !ok:
			return false
		case i < 0:
			ok = d.value(depth + 1)
		case !came.add(i):
			return false
		default:
			f := &p.fields[i]
			ok = d.decode(f.plan, unsafe.Add(into, f.offset), within(like, f.offset), depth+1)
			next = i + 1
		}
		if !ok {
			return false
		}
		if more, ok := d.more('}'); !more {
			return ok
		}
	}
}

// guesses is how many of the next fields are tried before a name is looked up.
const guesses = 6

// field consumes a name and a colon. It returns the index of the field, which most often is one of the next, or
// -1 if there is no such field.
func (d *Decoder) field(p *plan, next int) (i int, ok bool) {
	if d.peek() != '"' {
		return 0, false
	}
	rest := d.data[d.pos:]
	for i := next; i < len(p.fields) && i < next+guesses; i++ {
		quoted := p.fields[i].quoted
		if len(rest) >= len(quoted) && string(rest[:len(quoted)]) == quoted {
			d.pos += len(quoted)
			return i, true
		}
	}
	name, ok := d.cursor.text()
	if !ok {
		return 0, false
	}
	i, known := p.byName[string(name)]
	if !known {
		i = -1
	}
	return i, d.take(':')
}

package decode

import (
	"maps"
	"reflect"
	"strings"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// texts decodes a map[string]string. It makes none until it sees that it is not the one at like.
func (d *Decoder) texts(into, like unsafe.Pointer) bool {
	known, begin := at[map[string]string](like), d.pos
	if known != nil && d.areTexts(known) {
		*(*map[string]string)(into) = known
		return true
	}
	d.pos = begin
	made, ok := d.newTexts(known)
	if !ok {
		return false
	}
	if known != nil && maps.Equal(made, known) {
		made = known // in another order
	}
	*(*map[string]string)(into) = made
	return true
}

// areTexts reports whether the next JSON object is known, with its names in order, as encoders write it. So
// it sees that no name comes twice.
func (d *Decoder) areTexts(known map[string]string) bool {
	if !d.take('{') {
		return false
	}
	if d.take('}') {
		return len(known) == 0
	}
	var last []byte
	for n := 1; ; n++ {
		name, ok := d.plainText()
		if !ok || n > 1 && string(name) <= string(last) || !d.take(':') {
			return false
		}
		last = name
		wanted, there := known[string(name)]
		read, ok := d.cursor.text()
		if !ok || !there || string(read) != wanted {
			return false
		}
		if more, ok := d.more('}'); !more {
			return ok && n == len(known)
		}
	}
}

func (d *Decoder) newTexts(known map[string]string) (map[string]string, bool) {
	if !d.take('{') {
		return nil, false
	}
	made := make(map[string]string, len(known))
	if d.take('}') {
		return made, true
	}
	for n := 1; ; n++ {
		name, ok := d.cursor.text()
		if !ok {
			return nil, false
		}
		key := d.names.of(name)
		if !d.take(':') {
			return nil, false
		}
		value, other := "", known[key]
		if d.peek() == 'n' {
			ok = d.word("null")
		} else {
			ok = d.text(unsafe.Pointer(&value), unsafe.Pointer(&other))
		}
		if !ok {
			return nil, false
		}
		made[key] = value
		if more, ok := d.more('}'); !more {
			return made, ok && len(made) == n
		}
	}
}

// amounts decodes a corev1.ResourceList. An amount is a number or a text without escapes; what is written in another
// way is left to others.
func (d *Decoder) amounts(into, like unsafe.Pointer) bool {
	if !d.take('{') {
		return false
	}
	known := at[corev1.ResourceList](like)
	d.amountsRead = d.amountsRead[:0]
	same := known != nil
	for more := !d.take('}'); more; {
		name, ok := d.plainText()
		if !ok || !d.take(':') {
			return false
		}
		var written []byte
		if d.peek() == '"' {
			written, ok = d.plainText()
		} else {
			written, _, ok = d.number()
		}
		if !ok {
			return false
		}
		value, err := resource.ParseQuantity(strings.TrimSpace(string(written)))
		if err != nil {
			return false
		}
		same = d.addAmount(name, value, known) && same
		if more, ok = d.more('}'); !ok {
			return false
		}
	}
	if same && len(d.amountsRead) == len(known) {
		*(*corev1.ResourceList)(into) = known
		return true
	}
	return d.newAmounts((*corev1.ResourceList)(into))
}

// quantity is an entry of a corev1.ResourceList.
type quantity struct {
	name  corev1.ResourceName
	value resource.Quantity
}

// addAmount notes an entry. It reports whether known has it, and it comes in the order of the names.
func (d *Decoder) addAmount(name []byte, value resource.Quantity, known corev1.ResourceList) bool {
	key := corev1.ResourceName(d.names.of(name))
	last := len(d.amountsRead) - 1
	ordered := last < 0 || key > d.amountsRead[last].name
	d.amountsRead = append(d.amountsRead, quantity{key, value})
	other, there := known[key]
	return ordered && there && other == value
}

// newAmounts makes a map of what was noted.
func (d *Decoder) newAmounts(into *corev1.ResourceList) bool {
	read := d.amountsRead
	made := make(corev1.ResourceList, len(read))
	for _, q := range read {
		made[q.name] = q.value
	}
	*into = made
	return len(made) == len(read)
}

// mapping decodes any other map whose keys are strings. A name that comes twice is left to others.
func (d *Decoder) mapping(p *plan, into, like unsafe.Pointer, depth int) bool {
	if !d.take('{') {
		return false
	}
	made := reflect.MakeMap(p.Type)
	key, value, other := reflect.New(p.Type.Key()).Elem(), reflect.New(p.elem.Type), reflect.New(p.elem.Type)
	known := reflect.NewAt(p.Type, like)
	reflect.NewAt(p.Type, into).Elem().Set(made)
	for n, more := 1, !d.take('}'); more; n++ {
		name, ok := d.cursor.text()
		if !ok || !d.take(':') {
			return false
		}
		key.SetString(d.names.of(name))
		var wasThere unsafe.Pointer
		if like != nil {
			if found := known.Elem().MapIndex(key); found.IsValid() {
				other.Elem().Set(found)
				wasThere = other.UnsafePointer()
			}
		}
		if n > 1 && p.elem.lends { // somebody may have kept where it is
			value = reflect.New(p.elem.Type)
		}
		value.Elem().SetZero()
		if !d.decode(p.elem, value.UnsafePointer(), wasThere, depth+1) {
			return false
		}
		made.SetMapIndex(key, value.Elem())
		if more, ok = d.more('}'); !ok || made.Len() != n {
			return false
		}
	}
	// Its values share with those of like already, which Share would write to.
	if like != nil && p.Equal(into, like) {
		*(*unsafe.Pointer)(into) = *(*unsafe.Pointer)(like)
	}
	return true
}

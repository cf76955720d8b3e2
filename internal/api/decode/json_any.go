package decode

import (
	"slices"
	"strconv"
	"unsafe"
)

// pair is a member of a JSON object.
type pair struct {
	name  string
	value any
}

// dynamic decodes whatever comes, into what unstructured objects consist of.
func (d *Decoder) dynamic(into, like unsafe.Pointer, depth int) bool {
	value, _, ok := d.any(at[any](like), depth)
	*(*any)(into) = value
	return ok
}

// any decodes a value. It returns known itself, and same, if it is equal to that.
func (d *Decoder) any(known any, depth int) (value any, same, ok bool) {
	if depth > maxDepth {
		return nil, false, false
	}
	switch d.peek() {
	case '{':
		return d.object(known, depth)
	case '[':
		return d.array(known, depth)
	case '"':
		read, ok := d.cursor.text()
		if text, is := known.(string); is && text == string(read) {
			return known, true, ok
		}
		return string(read), false, ok
	case 't':
		return true, known == true, d.word("true")
	case 'f':
		return false, known == false, d.word("false")
	case 'n':
		return nil, known == nil, d.word("null")
	}
	return d.anyNumber(known)
}

// anyNumber decodes a number: an int64 if it is written as one and fits, else a float64.
func (d *Decoder) anyNumber(known any) (value any, same, ok bool) {
	read, whole, ok := d.number()
	if !ok {
		return nil, false, false
	}
	written := unsafe.String(unsafe.SliceData(read), len(read)) // which nobody keeps
	if whole {
		if n, err := strconv.ParseInt(written, 10, 64); err == nil {
			if other, is := known.(int64); is && other == n {
				return known, true, true
			}
			return n, false, true
		}
	}
	n, err := strconv.ParseFloat(written, 64)
	if other, is := known.(float64); is && other == n && n != 0 { // zeros have signs
		return known, true, err == nil
	}
	return n, false, err == nil
}

// object decodes a JSON object.
func (d *Decoder) object(known any, depth int) (value any, same, ok bool) {
	like, _ := known.(map[string]any)
	first := len(d.pairs)
	defer func() {
		clear(d.pairs[first:])
		d.pairs = d.pairs[:first]
	}()
	d.pos++ // the bracket, which the caller has seen
	all, more := like != nil, !d.take('}')
	for last := ""; more; {
		read, ok := d.cursor.text()
		if !ok {
			return nil, false, false
		}
		name := d.names.of(read)
		all = all && (len(d.pairs) == first || name > last) // so that none comes twice
		last = name
		other, there := like[name]
		if !d.take(':') {
			return nil, false, false
		}
		member, equal, ok := d.any(other, depth+1)
		if !ok {
			return nil, false, false
		}
		all = all && there && equal
		d.pairs = append(d.pairs, pair{name, member})
		if more, ok = d.more('}'); !ok {
			return nil, false, false
		}
	}
	read := d.pairs[first:]
	if all && len(read) == len(like) {
		return known, true, true
	}
	made := make(map[string]any, len(read))
	for _, p := range read {
		made[p.name] = p.value
	}
	return made, false, len(made) == len(read)
}

// array decodes a JSON array.
func (d *Decoder) array(known any, depth int) (value any, same, ok bool) {
	like, _ := known.([]any)
	first := len(d.values)
	defer func() {
		clear(d.values[first:])
		d.values = d.values[:first]
	}()
	d.pos++ // the bracket, which the caller has seen
	all, more := like != nil, !d.take(']')
	for i := 0; more; i++ {
		var other any
		if i < len(like) {
			other = like[i]
		}
		element, equal, ok := d.any(other, depth+1)
		if !ok {
			return nil, false, false
		}
		all = all && equal && i < len(like)
		d.values = append(d.values, element)
		if more, ok = d.more(']'); !ok {
			return nil, false, false
		}
	}
	read := d.values[first:]
	switch {
	case !all || len(read) != len(like):
	case cap(like) > len(like): // who appends must not write behind its end
		return slices.Clip(like), false, true // not the same, or what it is in would be taken with it
	default:
		return known, true, true
	}
	made := make([]any, len(read))
	copy(made, read)
	return made, false, true
}

// names has the names that came lately, so that each is kept once and not once for each object.
type names map[string]string

const (
	maxNames      = 4096
	maxNameLength = 64
)

func (n names) of(read []byte) string {
	if name, ok := n[string(read)]; ok {
		return name
	}
	name := string(read)
	if len(name) > maxNameLength {
		return name
	}
	if len(n) >= maxNames {
		clear(n)
	}
	n[name] = name
	return name
}

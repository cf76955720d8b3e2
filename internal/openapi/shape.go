package openapi

import (
	"fmt"
	"path"
	"strconv"
)

// shape is one schema of a document, as far as a difference can ask. It has what the document says,
// and no conclusions yet: what comes first may depend on what comes last. A document has each shape
// once, so nothing changes it when it has been read.
type shape struct {
	facts
	fields []field // in the order of their names
	next   *shape  // another shape with the same hash
}

// facts are what shapes can be compared by.
type facts struct {
	ref   string // the name of the definition that it stands for
	alias bool   // it says nothing beside the reference
	typ   string
	other bool // a format that is not the plain text of the type
	mixed bool // a number or a text

	nullable bool
	preserve bool // everything below may have fields that nobody mentions
	mapType  string
	list     *listing // nil if the document does not say
	initial  any      // the value that is meant where there is none; nil if it is not a scalar

	items  *shape
	rest   *shape // what fields have that nobody mentions
	closed bool   // there are no such fields
	free   bool   // they may be anything

	wrong string // why nothing can be made of it
}

// field is a named part of an object.
type field struct {
	name string
	*shape
}

// listing is what tells the elements of a list apart.
type listing struct {
	kind  string   // atomic, set or map
	keys  []string // of a map
	keyed bool     // it has keys, maybe none

	patch, key string // what is older than these, and counts where there is no kind
}

// shape reads a schema. The scanner is at its first byte.
func (s *scanner) shape(extra func(key string) bool) *shape {
	sh, begin := s.mint.blank(), len(s.mint.fields)
	said := listing{}
	s.object(func() {
		key := s.key()
		if !sh.keyword(s, key) && !sh.extension(s, key) && !said.extension(s, key) && (extra == nil || !extra(key)) {
			s.skip()
		}
	})
	sh.list = s.mint.listing(&said)
	return s.mint.shape(sh, begin)
}

// keyword reads what a key of a schema means, or returns false and reads nothing.
func (sh *shape) keyword(s *scanner, key string) bool {
	switch key {
	case "$ref":
		_, sh.ref = path.Split(s.textOrNull())
		sh.alias = sh.ref != ""
	case "allOf":
		sh.allOf(s)
	case "type":
		sh.typ = s.first()
	case "format":
		format := s.textOrNull()
		sh.other, sh.mixed = format != "" && format != "byte", format == "int-or-string"
	case "nullable":
		sh.nullable = s.isTrue()
	case "default":
		sh.initial = s.scalar()
	case "properties":
		s.object(func() {
			name := s.key()
			below := s.shape(nil)
			s.mint.fields = append(s.mint.fields, field{name, below})
		})
	case "additionalProperties":
		switch s.peek() {
		case '{':
			sh.rest = s.shape(nil)
		case 'n':
			s.literal()
		default:
			sh.free = s.isTrue()
			sh.closed = !sh.free
		}
	case "items":
		switch s.peek() {
		case '[':
			s.skip()
			sh.wrong = "the elements of a list have several types"
		case 'n':
			s.literal()
		default:
			sh.items = s.shape(nil)
		}
	default:
		return false
	}
	return true
}

// allOf reads a list of schemas. A single one that refers to a definition is how a document
// says something else of that definition beside it.
func (sh *shape) allOf(s *scanner) {
	n := 0
	var one *shape
	s.list(func() {
		n++
		one = s.shape(nil)
	})
	if n == 1 && one.alias && !sh.alias {
		sh.ref = one.ref
	}
}

// extension is keyword for the keys that Kubernetes has added.
func (sh *shape) extension(s *scanner, key string) bool {
	switch key {
	case "x-kubernetes-preserve-unknown-fields":
		sh.preserve = s.isTrue()
	case "x-kubernetes-map-type":
		sh.mapType = s.textOrNull()
	default:
		return false
	}
	return true
}

func (l *listing) extension(s *scanner, key string) bool {
	switch key {
	case "x-kubernetes-list-type":
		l.kind = s.textOrNull()
	case "x-kubernetes-list-map-keys":
		l.keyed, l.keys = true, nil
		s.list(func() { l.keys = append(l.keys, s.text()) })
	case "x-kubernetes-patch-strategy":
		l.patch = s.textOrNull()
	case "x-kubernetes-patch-merge-key":
		l.key = s.textOrNull()
	default:
		return false
	}
	return true
}

// textOrNull is a text; null is none.
func (s *scanner) textOrNull() string {
	if s.peek() != '"' {
		if text := s.literal(); s.err == nil && string(text) != "null" {
			s.fail("there is %.20q instead of a text", text)
		}
		return ""
	}
	return s.text()
}

// first is a text, or the first of a list.
func (s *scanner) first() (text string) {
	if s.peek() != '[' {
		return s.textOrNull()
	}
	n := 0
	s.list(func() {
		if n++; n == 1 {
			text = s.text()
		} else {
			s.skip()
		}
	})
	return text
}

// isTrue reports whether a value is true. Any other is not.
func (s *scanner) isTrue() bool {
	if s.peek() == 't' {
		return string(s.literal()) == "true"
	}
	s.skip()
	return false
}

// scalar is a text, a number, true or false. It is nil for any other value.
func (s *scanner) scalar() any {
	switch s.peek() {
	case '{', '[':
		s.skip()
		return nil
	case '"':
		return s.text()
	}
	switch text := string(s.literal()); text {
	case "null", "":
		return nil
	case "true", "false":
		return text == "true"
	default:
		if whole, err := strconv.ParseInt(text, 10, 64); err == nil {
			return whole
		}
		number, err := strconv.ParseFloat(text, 64)
		if err != nil {
			s.fail("read a number: %w", err)
		}
		return number
	}
}

// relation is what tells the elements of a list apart: by keys, by their values if it has no
// keys, or not at all.
func (l *listing) relation() (apart bool, keys []string, err error) {
	if l == nil {
		return false, nil, nil
	}
	switch l.kind {
	case "atomic":
		return false, nil, nil
	case "set":
		return true, nil, nil
	case "map":
		if !l.keyed {
			return false, nil, fmt.Errorf("a list of type map has no keys")
		}
		return true, l.keys, nil
	case "":
	default:
		return false, nil, fmt.Errorf("a list has type %q", l.kind)
	}
	switch l.patch {
	case "merge", "merge,retainKeys":
		if l.key != "" {
			keys = []string{l.key}
		}
		return true, keys, nil
	case "", "retainKeys":
		return false, nil, nil
	default:
		return false, nil, fmt.Errorf("a list has patch strategy %q", l.patch)
	}
}

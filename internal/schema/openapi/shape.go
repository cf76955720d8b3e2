package openapi

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"

	"sigs.k8s.io/structured-merge-diff/v6/schema"
)

// shape is what a schema says, as far as a difference can ask. No conclusions are drawn before all of it is there:
// what comes first may depend on what comes last.
type shape struct {
	ref   string // the name of the definition that it stands for
	alias bool   // it says nothing beside the reference
	typ   string
	other bool // a format that is not the plain text of the type
	mixed bool // a number or a text

	nullable bool
	preserve bool // everything below may have fields that nobody mentions
	mapType  string
	list     listing
	initial  any // the value that is meant where there is none; nil if it is not a scalar

	fields []schema.StructField
	items  *schema.TypeRef
	rest   *schema.TypeRef // what fields have that nobody mentions
	closed bool            // there are no such fields
	free   bool            // they may be anything

	err error // why nothing can be made of it
}

// listing is what tells the elements of a list apart.
type listing struct {
	kind  string   // atomic, set or map
	keys  []string // of a map
	keyed bool     // it has keys, maybe none

	patch, key string // what is older than these, and counts where there is no kind
}

// shape reads a schema. The scanner is at its first byte. The fields are good until the next call.
func (s *scanner) shape(extra func(key string) bool) (sh shape) {
	begin := len(s.fields)
	s.object(func() {
		key := s.key()
		if !sh.keyword(s, key) && !sh.extension(s, key) && (extra == nil || !extra(key)) {
			s.skip()
		}
	})
	sh.fields = s.fields[begin:]
	s.fields = s.fields[:begin]
	slices.SortFunc(sh.fields, func(a, b schema.StructField) int { return cmp.Compare(a.Name, b.Name) })
	for i := 1; i < len(sh.fields); i++ {
		if name := sh.fields[i].Name; name == sh.fields[i-1].Name {
			sh.fail(fmt.Errorf("there are two fields %q", name))
		}
	}
	return sh
}

// fail notes the first thing that makes no sense.
func (sh *shape) fail(err error) { sh.err = cmp.Or(sh.err, err) }

// below reads the schema of a part.
func (sh *shape) below(s *scanner, what string) (part shape, ref schema.TypeRef) {
	part = s.shape(nil)
	ref, err := part.typeRef(s.parts)
	if err != nil {
		sh.fail(fmt.Errorf("%s: %w", what, err))
	}
	return part, ref
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
			below, ref := sh.below(s, "field "+name[:min(len(name), 100)])
			s.fields = append(s.fields, schema.StructField{Name: name, Type: ref, Default: below.initial})
		})
	case "additionalProperties":
		switch s.peek() {
		case '{':
			_, ref := sh.below(s, "other fields")
			sh.rest = &ref
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
			sh.fail(errors.New("the elements of a list have several types"))
		case 'n':
			s.literal()
		default:
			_, ref := sh.below(s, "elements")
			sh.items = &ref
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
	var one shape
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
	case "x-kubernetes-list-type":
		sh.list.kind = s.textOrNull()
	case "x-kubernetes-list-map-keys":
		sh.list.keyed, sh.list.keys = true, nil
		s.list(func() { sh.list.keys = append(sh.list.keys, s.text()) })
	case "x-kubernetes-patch-strategy":
		sh.list.patch = s.textOrNull()
	case "x-kubernetes-patch-merge-key":
		sh.list.key = s.textOrNull()
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

// scalar is a text, a number, true or false. It is nil for any other value, and for one that is too long or too large:
// no key of a list is.
func (s *scanner) scalar() any {
	switch s.peek() {
	case '{', '[':
		s.skip()
		return nil
	case '"':
		if text, long := s.anyText(); !long {
			return text
		}
		return nil
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
		if number, err := strconv.ParseFloat(text, 64); err == nil {
			return number
		}
		return nil
	}
}

package delta

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Path names a field of an object, or several. Its text is what a conflict of
// server-side apply shows:
//
//	spec.replicas
//	spec.template.spec.containers[name="app"].image     an element, by its key
//	spec.template.spec.containers[*].image              all elements
//	metadata.labels["app.kubernetes.io/name"]           an entry of a map
//	metadata.finalizers[="example.com/cleanup"]         a member of a set
//	spec.rules[0].host                                  by its place
//
// The zero Path is the whole object.
type Path struct {
	steps []step
}

// stepKind says how a step goes on from where it stands.
type stepKind uint8

const (
	_       stepKind = iota
	named            // a field of a struct or an entry of a map
	element          // an element of a list, by its key
	member           // a member of a set, by its value
	place            // an element of a list, by its index
	every            // all that there are
)

// step is one step of a path.
type step struct {
	kind stepKind
	// name is a field's name or an entry's key; of a member it is the value, as
	// scalarText writes it.
	name string
	// entry says that a name is the key of a map, which has its text in brackets.
	entry bool
	keys  []keyField // of an element, in order of their names
	index int
	in    *listShape // the list that an element or member is in, where that is known
}

// keyField is one field of an element's key.
type keyField struct {
	name, value string // the value as scalarText writes it
}

// String is the path's text, from which [ParsePath] makes the path again.
func (p Path) String() string {
	var b strings.Builder
	for i := range p.steps {
		p.steps[i].write(&b)
	}
	return b.String()
}

// below is the path of what is one step further. It shares no memory that another
// path below p could write to.
func (p Path) below(s step) Path {
	return Path{steps: append(p.steps[:len(p.steps):len(p.steps)], s)}
}

func (s *step) write(b *strings.Builder) {
	switch s.kind {
	case named:
		s.writeName(b)
	case element:
		b.WriteByte('[')
		for i, key := range s.keys {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(bareOrQuoted(key.name) + "=" + key.value)
		}
		b.WriteByte(']')
	case member:
		b.WriteString("[=" + s.name + "]")
	case place:
		b.WriteString("[" + strconv.Itoa(s.index) + "]")
	case every:
		b.WriteString("[*]")
	default:
		panic("BUG: step of kind " + strconv.Itoa(int(s.kind)))
	}
}

func (s *step) sortKeys() {
	slices.SortFunc(s.keys, func(a, b keyField) int { return cmp.Compare(a.name, b.name) })
}

func (s *step) writeName(b *strings.Builder) {
	if s.entry || !bare(s.name) {
		b.WriteString("[" + bareOrQuoted(s.name) + "]")
		return
	}
	if b.Len() > 0 {
		b.WriteByte('.')
	}
	b.WriteString(s.name)
}

// text identifies the step among those that go on from the same place.
func (s *step) text() string {
	var b strings.Builder
	s.write(&b)
	return b.String()
}

func bareOrQuoted(name string) string {
	if bare(name) {
		return name
	}
	return strconv.Quote(name)
}

// bare reports whether a name can be written without quotes. Digits alone would read
// as a place in a list, so no bare name begins with one.
func bare(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c != '-' && (c < '0' || '9' < c)) {
			return false
		}
	}
	return name != ""
}

// within reports whether p is what the names say, or below it.
func (p Path) within(names ...string) bool {
	if len(p.steps) < len(names) {
		return false
	}
	for i, name := range names {
		if p.steps[i].kind != named || p.steps[i].name != name {
			return false
		}
	}
	return true
}

// ofLabels reports whether p names labels or annotations, wherever they are: their
// keys are written in brackets also where no schema says that this is a map.
func (p Path) ofLabels() bool {
	n := len(p.steps)
	if n < 2 || p.steps[n-1].kind != named || p.steps[n-2].kind != named || p.steps[n-2].name != "metadata" {
		return false
	}
	return p.steps[n-1].name == "labels" || p.steps[n-1].name == "annotations"
}

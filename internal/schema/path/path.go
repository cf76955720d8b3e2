package path

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
	Steps []Step
}

// StepKind says how a step goes on from where it stands.
type StepKind uint8

const (
	_       StepKind = iota
	Named            // a field of a struct or an entry of a map
	Element          // an element of a list, by its key
	Member           // a member of a set, by its value
	Place            // an element of a list, by its index
	Every            // all that there are
)

// Step is one step of a path.
type Step struct {
	Kind StepKind
	// name is a field's name or an entry's key; of a member it is the value, as
	// scalarText writes it.
	Name string
	// entry says that a name is the key of a map, which has its text in brackets.
	Entry bool
	Keys  []KeyField // of an element, in order of their names
	Index int
}

// KeyField is one field of an element's key.
type KeyField struct {
	Name, Value string // the value as scalarText writes it
}

// String is the path's text, from which [Parse] makes the path again.
func (p Path) String() string {
	var b strings.Builder
	for i := range p.Steps {
		p.Steps[i].write(&b)
	}
	return b.String()
}

// OfNames is the path of fields below each other.
func OfNames(all ...string) Path {
	var p Path
	for _, name := range all {
		if name != "" {
			p = p.Below(Step{Kind: Named, Name: name})
		}
	}
	return p
}

// Below is the path of what is one step further. It shares no memory that another
// path below p could write to.
func (p Path) Below(s Step) Path {
	return Path{Steps: append(p.Steps[:len(p.Steps):len(p.Steps)], s)}
}

func (s *Step) write(b *strings.Builder) {
	switch s.Kind {
	case Named:
		s.writeName(b)
	case Element:
		b.WriteByte('[')
		for i, key := range s.Keys {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(bareOrQuoted(key.Name) + "=" + key.Value)
		}
		b.WriteByte(']')
	case Member:
		b.WriteString("[=" + s.Name + "]")
	case Place:
		b.WriteString("[" + strconv.Itoa(s.Index) + "]")
	case Every:
		b.WriteString("[*]")
	default:
		panic("BUG: step of kind " + strconv.Itoa(int(s.Kind)))
	}
}

// SortKeys puts the fields of the key in order.
func (s *Step) SortKeys() {
	slices.SortFunc(s.Keys, func(a, b KeyField) int { return cmp.Compare(a.Name, b.Name) })
}

func (s *Step) writeName(b *strings.Builder) {
	if s.Entry || !bare(s.Name) {
		b.WriteString("[" + bareOrQuoted(s.Name) + "]")
		return
	}
	if b.Len() > 0 {
		b.WriteByte('.')
	}
	b.WriteString(s.Name)
}

// Text identifies the step among those that go on from the same place.
func (s *Step) Text() string {
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

// Within reports whether p is what the names say, or below it.
func (p Path) Within(names ...string) bool {
	if len(p.Steps) < len(names) {
		return false
	}
	for i, name := range names {
		if p.Steps[i].Kind != Named || p.Steps[i].Name != name {
			return false
		}
	}
	return true
}

// OfLabels reports whether p names labels or annotations, wherever they are: their
// keys are written in brackets also where no schema says that this is a map.
func (p Path) OfLabels() bool {
	n := len(p.Steps)
	if n < 2 || p.Steps[n-1].Kind != Named || p.Steps[n-2].Kind != Named || p.Steps[n-2].Name != "metadata" {
		return false
	}
	return p.Steps[n-1].Name == "labels" || p.Steps[n-1].Name == "annotations"
}

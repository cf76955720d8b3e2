package openapi

import (
	"errors"
	"fmt"
	"io"

	kinds "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
)

// Document is what a document says of the types of one group and version.
type Document struct {
	definitions map[string]definition
	kinds       map[string]string // the name of the definition that each kind has
}

// definition is a type, or why there is none.
type definition struct {
	atom schema.Atom
	err  error
}

// ErrNoKind says that a document describes no such kind.
var ErrNoKind = errors.New("the server does not describe such a kind")

// Read reads a document to its end. It leaves out kinds of other groups and versions: several
// documents describe a Status.
func Read(from io.Reader, of kinds.GroupVersion) (*Document, error) {
	s := newScanner(from)
	d := &Document{definitions: map[string]definition{}, kinds: map[string]string{}}
	s.members("components", func() {
		s.members("schemas", func() {
			s.object(func() { d.definition(s, of) })
		})
	})
	s.ends()
	if s.err != nil {
		return nil, fmt.Errorf("read a document: %w", s.err)
	}
	return d, nil
}

// members reads the members of an object that have a name, and skips the others.
func (s *scanner) members(name string, read func()) {
	s.object(func() {
		if s.key() == name {
			read()
		} else {
			s.skip()
		}
	})
}

// definition reads the name of a definition, what it is, and which kinds are so.
func (d *Document) definition(s *scanner, of kinds.GroupVersion) {
	name := s.key()
	sh := s.shape(func(key string) bool {
		if key != "x-kubernetes-group-version-kind" {
			return false
		}
		s.list(func() {
			kind := s.kind()
			if _, twice := d.kinds[kind.Kind]; !twice && kind.GroupVersion() == of {
				d.kinds[kind.Kind] = name
			}
		})
		return true
	})
	if s.err != nil {
		s.err = fmt.Errorf("definition %.100s: %w", name, s.err)
	}
	var made definition
	switch { // a document takes a quantity for a text, and an extension for an object
	case sh.alias:
		made.err = errors.New("it is nothing but a reference")
	case name == "io.k8s.apimachinery.pkg.api.resource.Quantity":
		made.atom.Scalar = &untyped
	case name == "io.k8s.apimachinery.pkg.runtime.RawExtension":
		made.atom = common[0].Atom
	default:
		made.atom, made.err = sh.atom(s.parts)
	}
	d.definitions[name] = made
}

func (s *scanner) kind() (kind kinds.GroupVersionKind) {
	s.object(func() {
		switch s.key() {
		case "group":
			kind.Group = s.textOrNull()
		case "version":
			kind.Version = s.textOrNull()
		case "kind":
			kind.Kind = s.textOrNull()
		default:
			s.skip()
		}
	})
	return kind
}

package openapi

import (
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Document is what a document says of the types of one group and version.
type Document struct {
	definitions map[string]*shape
	kinds       map[string]string // the name of the definition that each kind has
}

// ErrNoKind says that a document describes no such kind.
var ErrNoKind = errors.New("the server does not describe such a kind")

// Read reads a document to its end. It leaves out kinds of other groups and versions: several
// documents describe a Status.
func Read(from io.Reader, of schema.GroupVersion) (*Document, error) {
	s := newScanner(from)
	d := &Document{definitions: map[string]*shape{}, kinds: map[string]string{}}
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
func (d *Document) definition(s *scanner, of schema.GroupVersion) {
	name := s.key()
	d.definitions[name] = s.shape(func(key string) bool {
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
}

func (s *scanner) kind() (kind schema.GroupVersionKind) {
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

package openapi

import (
	"bufio"
	"encoding/json"
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
	d := &Document{definitions: map[string]definition{}, kinds: map[string]string{}}
	err := d.read(bufio.NewReaderSize(from, 32<<10), of)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err == nil {
		_, err = io.Copy(io.Discard, from)
	}
	if err != nil {
		return nil, fmt.Errorf("read a document: %w", err)
	}
	return d, nil
}

// read reads on to the end of the definitions.
func (d *Document) read(from *bufio.Reader, of kinds.GroupVersion) error {
	for _, name := range []string{"components", "schemas"} {
		if found, err := enter(from, name); !found {
			return err
		}
	}
	decoder := json.NewDecoder(from)
	if begin, err := decoder.Token(); err != nil || begin != json.Delim('{') {
		return errors.Join(err, fmt.Errorf("the definitions begin with %v", begin))
	}
	parts := newPool()
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		if err := d.define(name.(string), decoder, of, parts); err != nil {
			return fmt.Errorf("definition %.100s: %w", name, err)
		}
	}
	_, err := decoder.Token()
	return err
}

// enter reads on to the value of a member of the next object, and reports whether there is one. It does not look at what
// it goes over: most of a document is what it says of requests, which is never in memory.
func enter(from *bufio.Reader, name string) (found bool, err error) {
	var last []byte // the last text: what comes before a colon
	for depth := 0; ; {
		c, err := from.ReadByte()
		if err != nil {
			return false, err
		}
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			if last, err = quoted(from, last[:0]); err != nil {
				return false, err
			}
		case ':':
			if depth == 1 && string(last) == name {
				return true, nil
			}
		}
		switch {
		case depth == 0 && (c == '}' || c == ']'):
			return false, nil
		case depth <= 0:
			return false, fmt.Errorf("there is %q instead of '{'", c)
		}
	}
}

// quoted appends what stands before the next quote, as it is written.
func quoted(from *bufio.Reader, text []byte) ([]byte, error) {
	for escaped := false; ; {
		c, err := from.ReadByte()
		if err != nil || c == '"' && !escaped {
			return text, err
		}
		escaped = c == '\\' && !escaped
		text = append(text, c)
	}
}

// define reads what a definition is, and which kinds are so.
func (d *Document) define(name string, from *json.Decoder, of kinds.GroupVersion, parts *pool) error {
	var said struct {
		shape
		Kinds []kinds.GroupVersionKind `json:"x-kubernetes-group-version-kind"`
	}
	var made definition
	if err := from.Decode(&said); err != nil {
		if _, senseless := errors.AsType[*json.UnmarshalTypeError](err); !senseless {
			return err
		}
		made.err = err
	}
	switch { // a document takes a quantity for a text, and an extension for an object
	case made.err != nil:
	case said.Ref != "":
		made.err = errors.New("it is nothing but a reference")
	case name == "io.k8s.apimachinery.pkg.api.resource.Quantity":
		made.atom.Scalar = &untyped
	case name == "io.k8s.apimachinery.pkg.runtime.RawExtension":
		made.atom = common[0].Atom
	default:
		made.atom, made.err = said.atom(parts, false)
	}
	d.definitions[name] = made
	for _, kind := range said.Kinds {
		if _, twice := d.kinds[kind.Kind]; !twice && kind.GroupVersion() == of {
			d.kinds[kind.Kind] = name
		}
	}
	return nil
}

package openapi

import (
	"errors"
	"fmt"
	"slices"
)

// reach are the definitions that a kind leads to.
type reach struct {
	in    *Document
	names map[string]bool
	next  []string // of names, those whose definitions were not looked at
	// keys are the fields that are keys of lists whose elements are of a definition. Only their
	// defaults count.
	keys map[string][]string
}

// reachOf returns what a kind leads to, or why nothing can be made of that.
func (d *Document) reachOf(kind string) (*reach, error) {
	name, ok := d.kinds[kind]
	if !ok {
		return nil, ErrNoKind
	}
	r := &reach{in: d, names: map[string]bool{}, keys: map[string][]string{}}
	if err := r.refer(name); err != nil {
		return nil, err
	}
	for len(r.next) > 0 {
		name := r.next[len(r.next)-1]
		r.next = r.next[:len(r.next)-1]
		if err := r.look(d.definitions[name]); err != nil {
			return nil, fmt.Errorf("definition %.100s: %w", name, err)
		}
	}
	return r, nil
}

// refer goes to a definition.
func (r *reach) refer(name string) error {
	if r.names[name] {
		return nil
	}
	switch sh, ok := r.in.definitions[name]; {
	case !ok:
		return fmt.Errorf("the document has no definition %.100s", name)
	case sh.alias:
		return fmt.Errorf("definition %.100s is nothing but a reference", name)
	}
	r.names[name] = true
	r.next = append(r.next, name)
	return nil
}

// look goes through what a schema has in it.
func (r *reach) look(sh *shape) error {
	if err := sh.check(); err != nil {
		return err
	}
	for i := range sh.fields {
		if err := r.follow(sh.fields[i].shape); err != nil {
			return fmt.Errorf("field %.100s: %w", sh.fields[i].name, err)
		}
	}
	if sh.rest != nil {
		if err := r.follow(sh.rest); err != nil {
			return fmt.Errorf("other fields: %w", err)
		}
	}
	if sh.items == nil {
		return nil
	}
	if _, keys, _ := sh.list.relation(); sh.items.ref != "" {
		for _, key := range keys {
			if !slices.Contains(r.keys[sh.items.ref], key) {
				r.keys[sh.items.ref] = append(r.keys[sh.items.ref], key)
			}
		}
	}
	if err := r.follow(sh.items); err != nil {
		return fmt.Errorf("elements: %w", err)
	}
	return nil
}

func (r *reach) follow(sh *shape) error {
	if sh.ref == "" {
		return r.look(sh)
	}
	if _, err := relation(sh.mapType); err != nil {
		return err
	}
	return r.refer(sh.ref)
}

// check says what is wrong with a schema, apart from what is in it.
func (sh *shape) check() error {
	if sh.wrong != "" {
		return errors.New(sh.wrong)
	}
	switch sh.typ {
	case "integer", "number", "boolean", "string":
		return nil
	case "", "object":
	case "array":
		if sh.items == nil {
			return errors.New("nothing says what the elements of a list are")
		}
	default:
		return fmt.Errorf("type %.100q is unknown", sh.typ)
	}
	if sh.typ != "object" {
		if _, _, err := sh.list.relation(); err != nil {
			return err
		}
	}
	_, err := relation(sh.mapType)
	return err
}

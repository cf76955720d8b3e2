package decode

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// fields finds the fields of a struct as encoding/json does.
func (m planner) fields(p *plan, t reflect.Type) error {
	found := &fieldFinder{plans: m, depths: map[string]int{}, into: p}
	p.byName = map[string]int{}
	if err := found.walk(t, 0, 0); err != nil {
		return err
	}
	if len(p.fields) > maxFields {
		return fmt.Errorf("%v has more than %d fields", t, maxFields)
	}
	return m.protoFields(p, t)
}

// maxFields is how many fields of a struct can be told apart in one seen.
const maxFields = 128

// seen has a bit for each field that has come.
type seen [maxFields / 64]uint64

// add reports whether field i has come for the first time.
func (s *seen) add(i int) bool {
	bit := uint64(1) << (i % 64)
	fresh := s[i/64]&bit == 0
	s[i/64] |= bit
	return fresh
}

// simple are the letters of names that are what they look like. encoding/json has rules for others.
const simple = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.$/:@"

// fieldFinder collects the fields of a struct and of those that it embeds.
type fieldFinder struct {
	plans  planner
	into   *plan
	depths map[string]int // by name, how deep it was found
}

func (f *fieldFinder) walk(t reflect.Type, offset uintptr, depth int) error {
	for i := range t.NumField() {
		member := t.Field(i)
		member.Offset += offset
		tag := member.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case tag == "-":
			continue
		case member.Anonymous && name == "":
			if member.Type.Kind() != reflect.Struct {
				return fmt.Errorf("%v embeds %v", t, member.Type)
			}
			if err := f.walk(member.Type, member.Offset, depth+1); err != nil {
				return err
			}
			continue
		case member.Anonymous && !member.IsExported():
			return fmt.Errorf("%v embeds %v under a name", t, member.Type)
		case !member.IsExported():
			continue
		case slices.Contains(strings.Split(options, ","), "string"):
			return fmt.Errorf("%v.%s is quoted once more", t, member.Name)
		case name == "":
			name = member.Name
		}
		if err := f.add(t, name, member, depth); err != nil {
			return err
		}
	}
	return nil
}

func (f *fieldFinder) add(t reflect.Type, name string, member reflect.StructField, depth int) error {
	if strings.Trim(name, simple) != "" {
		return fmt.Errorf("%v.%s has the odd name %q", t, member.Name, name)
	}
	if other, twice := f.depths[name]; twice {
		if other < depth {
			return nil // what is deeper is hidden
		}
		return fmt.Errorf("%v has the name %q twice", t, name)
	}
	p, err := f.plans.of(member.Type)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	f.into.lends = f.into.lends || p.lends // it is within, so it is complete
	f.depths[name] = depth
	f.into.byName[name] = len(f.into.fields)
	f.into.fields = append(f.into.fields, field{
		name: name, quoted: `"` + name + `":`, offset: member.Offset, plan: p,
	})
	return nil
}

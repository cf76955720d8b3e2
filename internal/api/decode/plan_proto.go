package decode

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/delta-runtime/delta-runtime/internal/api/dedup"
)

// A protoField is a field of a struct as protobuf has it.
type protoField struct {
	number int
	offset uintptr
	plan   *plan
	// repeated means that each value of the field comes on its own.
	repeated bool
}

// protoUnmarshaler is what types do that protobuf can carry.
type protoUnmarshaler interface{ Unmarshal(data []byte) error }

var protoUnmarshalerType = reflect.TypeFor[protoUnmarshaler]()

// protoFields finds the fields of a struct by its tags. Structs without tags stay without: those that protobuf can
// carry all the same decode themselves. So do types of unknown origin: only of code that Kubernetes' own generator has
// written is it certain that it follows the tags, and uses no other encodings than are known here.
func (m planner) protoFields(p *plan, t reflect.Type) error {
	if !dedup.WellKnown(t) {
		return nil
	}
	var found []protoField
	var byNumber []int
	for i := range t.NumField() {
		member := t.Field(i)
		tag := member.Tag.Get("protobuf")
		if tag == "-" || tag == "" && (member.Anonymous || !member.IsExported()) {
			continue
		}
		if tag == "" {
			return nil
		}
		f, err := m.protoField(member, tag)
		if err != nil {
			return fmt.Errorf("%v.%s: %w", t, member.Name, err)
		}
		for len(byNumber) <= f.number {
			byNumber = append(byNumber, -1)
		}
		byNumber[f.number] = len(found)
		found = append(found, f)
	}
	p.proto, p.byNumber = found, byNumber
	return nil
}

func (m planner) protoField(member reflect.StructField, tag string) (protoField, error) {
	parts := strings.Split(tag, ",")
	if len(parts) < 3 {
		return protoField{}, fmt.Errorf("the tag %q is too short", tag)
	}
	number, err := strconv.ParseUint(parts[1], 10, 16)
	if err != nil {
		return protoField{}, fmt.Errorf("the tag %q has no number", tag)
	}
	p, err := m.of(member.Type)
	if err != nil {
		return protoField{}, err
	}
	// The Go type decides, as it does in the generated code. Some tags say otherwise.
	repeated := !p.readsItself() && (p.sort == list || p.sort == texts || p.sort == amounts || p.sort == mapping)
	return protoField{number: int(number), offset: member.Offset, plan: p, repeated: repeated}, nil
}

// byField reports whether the plan's values are read field by field. Others that are messages decode themselves.
func (p *plan) byField() bool { return p.sort == structure && p.proto != nil }

// readsItself reports whether a value of the plan has a decoder of its own, and needs it.
func (p *plan) readsItself() bool {
	return p.unmarshals && !p.byField() && p.sort != fieldSet
}

// beginsEmpty reports whether an element or a pointer to the plan's type begins as a list or map that is empty, and
// not nil, in generated code.
func (p *plan) beginsEmpty() bool {
	return p.readsItself() && (p.Type.Kind() == reflect.Slice || p.Type.Kind() == reflect.Map)
}

package imprint

import (
	"fmt"
	"reflect"
	"sync"
	"time"
	"unsafe"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// sort is how values of a type are written.
type sort uint8

const (
	text      sort = iota + 1 // a string
	boolean                   // a bool
	number                    // an integer of any size, with a sign or without
	float                     // a float32 or float64
	octets                    // a []byte
	pointer                   // to elem
	list                      // a slice of elem
	texts                     // a map[string]string
	contents                  // a map[string]any
	mapping                   // any other map whose keys are strings
	structure                 // a struct
	dynamic                   // an any
	moment                    // a time.Time, also inside of another type
	amount                    // a resource.Quantity
	absent                    // an interface that has to be nil
)

// A plan says how values of a type are written. Plans are made once for each type and never change.
type plan struct {
	sort   sort
	typ    reflect.Type
	size   uintptr
	signed bool
	elem   *plan
	fields []field
	// zero is a value with nothing in it, for what has no like.
	zero unsafe.Pointer
}

// A field is a field of a struct.
type field struct {
	offset uintptr
	plan   *plan
}

var (
	anyType    = reflect.TypeFor[any]()
	objectType = reflect.TypeFor[runtime.Object]()
)

// special are types with fields that only their own package may set.
var special = map[reflect.Type]sort{
	reflect.TypeFor[time.Time]():         moment,
	reflect.TypeFor[metav1.Time]():       moment,
	reflect.TypeFor[metav1.MicroTime]():  moment,
	reflect.TypeFor[resource.Quantity](): amount,
	reflect.TypeFor[map[string]string](): texts,
	reflect.TypeFor[map[string]any]():    contents,
}

// planner makes the plans of a type and of all that it consists of.
type planner struct {
	made map[reflect.Type]*plan
	// order is that in which the types were met.
	order []*plan
}

func (m *planner) of(t reflect.Type) (*plan, error) {
	if p, ok := m.made[t]; ok {
		return p, nil
	}
	p := &plan{typ: t, size: t.Size(), zero: reflect.New(t).UnsafePointer()}
	m.made[t] = p
	m.order = append(m.order, p)
	if err := m.complete(p, t); err != nil {
		return nil, err
	}
	return p, nil
}

func (m *planner) complete(p *plan, t reflect.Type) (err error) {
	if p.sort = special[t]; p.sort != 0 {
		if p.sort == contents {
			_, err = m.of(anyType)
		}
		return err
	}
	switch t.Kind() {
	case reflect.String:
		p.sort = text
	case reflect.Bool:
		p.sort = boolean
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		p.sort, p.signed = number, true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		p.sort = number
	case reflect.Float32, reflect.Float64:
		p.sort = float
	case reflect.Pointer:
		p.sort = pointer
		p.elem, err = m.of(t.Elem())
	case reflect.Slice:
		return m.slice(p, t)
	case reflect.Map:
		p.sort = mapping
		if t.Key().Kind() != reflect.String {
			return fmt.Errorf("%v has other keys than strings", t)
		}
		p.elem, err = m.of(t.Elem())
	case reflect.Struct:
		p.sort = structure
		return m.fields(p, t)
	case reflect.Interface:
		switch t {
		case anyType:
			p.sort = dynamic
		case objectType: // that of a RawExtension, which no decoder fills
			p.sort = absent
		default:
			return fmt.Errorf("%v does not say what is in it", t)
		}
	default:
		return fmt.Errorf("%v is of a kind that is not known here", t)
	}
	return err
}

func (m *planner) slice(p *plan, t reflect.Type) (err error) {
	if t.Elem().Kind() == reflect.Uint8 {
		p.sort = octets
		return nil
	}
	p.sort = list
	p.elem, err = m.of(t.Elem())
	return err
}

func (m *planner) fields(p *plan, t reflect.Type) error {
	for i := range t.NumField() {
		member := t.Field(i)
		if !member.IsExported() {
			return fmt.Errorf("%v.%s is not exported", t, member.Name)
		}
		of, err := m.of(member.Type)
		if err != nil {
			return fmt.Errorf("%s: %w", member.Name, err)
		}
		p.fields = append(p.fields, field{offset: member.Offset, plan: of})
	}
	return nil
}

// Type is what is known of a type whose objects are written.
type Type struct {
	root   *plan
	layout string
}

// met has the Type of each Go type met so far, or the error why it has none, by reflect.Type.
var met sync.Map

// TypeOf returns how objects like example are written; example is a pointer to a struct. The error says why
// they have to be written in another way.
func TypeOf(example any) (*Type, error) {
	t := reflect.TypeOf(example)
	if t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return nil, fmt.Errorf("%T is not a pointer to a struct", example)
	}
	known, ok := met.Load(t)
	if !ok {
		known, _ = met.LoadOrStore(t, newType(t.Elem()))
	}
	if err, failed := known.(error); failed {
		return nil, err
	}
	return known.(*Type), nil
}

// newType returns a *Type or an error.
func newType(t reflect.Type) any {
	m := planner{made: map[reflect.Type]*plan{}}
	root, err := m.of(t)
	switch {
	case err != nil:
		return fmt.Errorf("write a %v as it differs: %w", t, err)
	case root.sort != structure:
		return fmt.Errorf("write a %v as it differs: it has no fields", t)
	}
	if _, amounts := m.made[reflect.TypeFor[resource.Quantity]()]; amounts && !knowsQuantity() {
		return fmt.Errorf("write a %v as it differs: a quantity is not what it was", t)
	}
	return &Type{root: root, layout: m.digest()}
}

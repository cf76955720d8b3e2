package decode

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/delta-runtime/delta-runtime/internal/api/dedup"
)

// sort is how values of a type are decoded.
type sort uint8

const (
	text      sort = iota + 1 // a string
	boolean                   // a bool
	signed                    // an integer of any size
	unsigned                  // the same without a sign
	float                     // a float32 or float64
	octets                    // a []byte
	pointer                   // to elem
	list                      // a slice of elem
	texts                     // a map[string]string
	amounts                   // a corev1.ResourceList
	mapping                   // any other map whose keys are strings
	structure                 // a struct
	dynamic                   // an any
	moment                    // a metav1.Time
	amount                    // a resource.Quantity
	either                    // an intstr.IntOrString
	fieldSet                  // a metav1.FieldsV1
	custom                    // something that decodes itself
)

// A plan says how values of a type are decoded. Plans are made once for each type and never change.
type plan struct {
	*dedup.Layout
	sort   sort
	id     int // where a Decoder has what it keeps for the plan
	elem   *plan
	fields []field        // of a struct, in the order of its declaration, as JSON has them
	byName map[string]int // into fields
	proto  []protoField   // of a struct, as protobuf has them
	// byNumber says which of them has a number; -1 is none.
	byNumber []int
	// unmarshals means that the type has a decoder of protobuf.
	unmarshals bool
	// lends means that the memory of a value is given to code that nobody here knows, which may keep it.
	lends bool
}

// A field is a field of a struct, or of a struct that it embeds.
type field struct {
	name   string
	quoted string // with quotes and a colon
	offset uintptr
	plan   *plan
}

var textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()

// special are types whose own methods are slow, and known to do what is done here instead.
var special = map[reflect.Type]sort{
	reflect.TypeFor[metav1.Time]():         moment,
	reflect.TypeFor[resource.Quantity]():   amount,
	reflect.TypeFor[intstr.IntOrString]():  either,
	reflect.TypeFor[metav1.FieldsV1]():     fieldSet,
	reflect.TypeFor[corev1.ResourceList](): amounts,
}

// planner makes the plans of a type and of all that it consists of. It has those that it has made.
type planner map[reflect.Type]*plan

// of returns the plan of a type. It fails for types that encoding/json would treat in a way that is not known
// here.
func (m planner) of(t reflect.Type) (*plan, error) {
	if p, ok := m[t]; ok {
		return p, nil
	}
	p := &plan{Layout: dedup.LayoutOf(t), id: len(m)}
	p.unmarshals = reflect.PointerTo(t).Implements(protoUnmarshalerType)
	m[t] = p
	if err := m.complete(p, t); err != nil {
		return nil, err
	}
	return p, nil
}

func (m planner) complete(p *plan, t reflect.Type) (err error) {
	if p.sort = special[t]; p.sort != 0 {
		return nil
	}
	addressed := reflect.PointerTo(t)
	switch {
	case t.Kind() == reflect.Pointer && t.Name() == "":
		p.sort = pointer
		p.elem, err = m.of(t.Elem())
		return err
	case t.Kind() != reflect.Interface && addressed.Implements(reflect.TypeFor[json.Unmarshaler]()):
		if t.Name() == "" { // then it depends on what leads to it
			return fmt.Errorf("%v decodes itself, but has no name", t)
		}
		p.sort, p.lends = custom, dedup.Foreign(t)
		return nil
	case addressed.Implements(textUnmarshaler):
		return fmt.Errorf("%v reads itself from text", t)
	}
	switch t.Kind() {
	case reflect.String:
		p.sort = text
		if t == reflect.TypeFor[json.Number]() {
			return fmt.Errorf("%v is a number that is kept as text", t)
		}
	case reflect.Bool:
		p.sort = boolean
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		p.sort = signed
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		p.sort = unsigned
	case reflect.Float32, reflect.Float64:
		p.sort = float
	case reflect.Slice:
		return m.slice(p, t)
	case reflect.Map:
		return m.mapping(p, t)
	case reflect.Struct:
		p.sort = structure
		return m.fields(p, t)
	case reflect.Interface:
		if t != reflect.TypeFor[any]() {
			return fmt.Errorf("%v does not say what to make", t)
		}
		p.sort = dynamic
	default:
		return fmt.Errorf("%v is of a kind that is not known here", t)
	}
	return nil
}

func (m planner) slice(p *plan, t reflect.Type) (err error) {
	elem := t.Elem()
	if elem.Kind() == reflect.Uint8 {
		if elem != reflect.TypeFor[byte]() {
			return fmt.Errorf("%v has bytes of a type of their own", t)
		}
		p.sort = octets
		return nil
	}
	p.sort = list
	p.elem, err = m.of(elem)
	return err
}

func (m planner) mapping(p *plan, t reflect.Type) (err error) {
	key := t.Key()
	if key.Kind() != reflect.String || reflect.PointerTo(key).Implements(textUnmarshaler) {
		return fmt.Errorf("%v has other keys than strings", t)
	}
	p.sort = mapping
	if t == reflect.TypeFor[map[string]string]() {
		p.sort = texts
	}
	p.elem, err = m.of(t.Elem())
	return err
}

// Type is what is known of a type whose objects are decoded.
type Type struct {
	root  *plan
	plans int
	empty reflect.Type // of the object, not of a pointer to it
	free  bool         // the objects are of no Go type
	about int          // the number of the metadata in protobuf; 0 if there is none
}

// met has the Type of each Go type met so far, or the error why it has none, by reflect.Type.
var met sync.Map

// TypeOf returns how objects like example are decoded; example is a pointer to a struct. The error says why
// others have to decode them.
func TypeOf(example any) (*Type, error) {
	if _, free := example.(*unstructured.Unstructured); free {
		return &Type{free: true}, nil
	}
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
	m := planner{}
	root, err := m.of(t)
	switch {
	case err != nil:
		return fmt.Errorf("decode %v: %w", t, err)
	case root.sort != structure:
		return fmt.Errorf("decode %v: it decodes itself", t)
	}
	made := &Type{root: root, plans: len(m), empty: t}
	for _, f := range root.proto {
		if f.plan.Type == reflect.TypeFor[metav1.ObjectMeta]() {
			made.about = f.number
		}
	}
	return made
}

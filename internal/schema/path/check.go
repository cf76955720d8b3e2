package path

import (
	"fmt"
	"path"
	"reflect"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Check returns an error for a path that objects of the example's kind can't have. The schemas
// describe objects whose Go type does not say what they have: unstructured ones, and metadata
// alone. Where they do not know the kind, nothing is wrong with a path.
func Check(example Object, schemas Schemas, text string) error {
	if example == nil {
		return fmt.Errorf("check path %s: there is no example of the objects", Cut(text, MaxPath))
	}
	_, _, err := KindOf(example).Check(text, schemas)
	return err
}

// Error says that a path names a field that can't exist.
type Error struct {
	Path string // as it was given
	In   string // the kind or the type that has no such field
	Why  string // what is wrong with the path
	// Meant is a path that can exist and was probably meant. It is empty where there is
	// none.
	Meant string
}

// Error has all of it.
func (e *Error) Error() string {
	text := fmt.Sprintf("path %s can't exist in %s: %s", Cut(e.Path, MaxPath), e.In, e.Why)
	if e.Meant != "" {
		text += "; did you mean " + Cut(e.Meant, MaxPath) + "?"
	}
	return text
}

// Kind is a kind of objects as paths are checked for it. The Go type says what fields
// there are, and where it does not, the schema does, which is found by the kind.
type Kind struct {
	Type reflect.Type
	GVK  schema.GroupVersionKind
}

// KindOf returns the kind of an object as paths are checked for it.
func KindOf(obj Object) Kind {
	k := Kind{Type: reflect.TypeOf(obj)}
	if Present(obj) != nil {
		k.GVK = obj.GetObjectKind().GroupVersionKind()
	}
	return k
}

// Untyped reports whether the Go type does not say what objects have.
func (k Kind) Untyped() bool {
	return k.Type == reflect.TypeFor[*metav1.PartialObjectMetadata]() || k.Type.Implements(reflect.TypeFor[runtime.Unstructured]())
}

// Cost orders kinds by what it takes to check a path.
func (k Kind) Cost() int {
	if k.Untyped() {
		return 1
	}
	return 0
}

// Same reports whether the same paths are legal in another kind.
func (k Kind) Same(other Kind) bool {
	return k.Type == other.Type && (!k.Untyped() || k.GVK == other.GVK)
}

// String names the kind in an error.
func (k Kind) String() string {
	if k.GVK.Kind != "" {
		return k.GVK.GroupVersion().String() + " " + k.GVK.Kind
	}
	t := k.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	dir, version := path.Split(t.PkgPath())
	return path.Join(path.Base(dir), version) + "." + t.Name() // such as apps/v1.Deployment
}

// root is the place that the whole object is.
func (k Kind) root(schemas Schemas) slot {
	if !k.Untyped() {
		return goSlot{k.Type}
	}
	return untypedRoot{schemaOf(schemas, k.GVK)}
}

// Verdict is what came of a check that found nothing wrong.
type Verdict uint8

const (
	// notKnown means that nothing describes the place.
	NotKnown Verdict = iota
	// canExist means that a type or schema has such a field, or leaves it open.
	CanExist
)

// Check reads a path and looks for it in the kind. The path that it returns is spelled as
// an edit of a Diff would spell it.
func (k Kind) Check(text string, schemas Schemas) (Path, Verdict, error) {
	asked, err := Parse(text)
	if err != nil {
		return Path{}, NotKnown, err
	}
	root := k.root(schemas)
	checked, found, wrong := lookUp(root, asked)
	if wrong == "" {
		return checked, found, nil
	}
	return asked, NotKnown, &Error{Path: text, In: k.String(), Why: wrong, Meant: meant(root, asked, checked.Steps)}
}

// LookUp tells whether objects of the kind can have such a field, and what is wrong with the
// path if they can't.
func (k Kind) LookUp(asked Path, schemas Schemas) (found Verdict, wrong string) {
	_, found, wrong = lookUp(k.root(schemas), asked)
	return found, wrong
}

// lookUp takes the steps of a path from the root of an object, and says what is wrong
// with the first one that leads nowhere.
func lookUp(root slot, asked Path) (checked Path, found Verdict, wrong string) {
	at := root
	for i := range asked.Steps {
		now := at.content()
		if now.any {
			checked.Steps = append(checked.Steps, asked.Steps[i:]...)
			if now.unknown || i == 0 {
				return checked, NotKnown, ""
			}
			return checked, CanExist, ""
		}
		next, spelled, wrong := now.step(&asked.Steps[i], checked)
		if wrong != "" {
			return checked, NotKnown, wrong
		}
		at, checked.Steps = next, append(checked.Steps, spelled)
	}
	if at.content().unknown {
		return checked, NotKnown, ""
	}
	return checked, CanExist, ""
}

// step takes one step, or says what is wrong with it. It spells the step that it returns as
// an Edit would.
func (c content) step(s *Step, at Path) (next slot, spelled Step, wrong string) {
	switch {
	case s.Kind == Named:
		return c.named(s, at)
	case s.Kind == Every && c.element == nil && c.entry != nil:
		return c.entry, *s, ""
	case c.element == nil:
		return nil, *s, here(at) + " is not a list"
	case s.Kind == Member:
		return c.element, *s, c.element.content().compare(s.Name, at.Below(Step{Kind: Every}))
	case s.Kind == Element:
		return c.element, *s, c.element.content().compareKeys(s.Keys, at.Below(Step{Kind: Every}))
	default:
		return c.element, *s, ""
	}
}

func (c content) named(s *Step, at Path) (next slot, spelled Step, wrong string) {
	spelled = *s
	if c.field != nil {
		if next, ok := c.field(s.Name); ok {
			spelled.Entry = false
			return next, spelled, ""
		}
	}
	switch {
	case c.entry != nil:
		spelled.Entry = s.Entry || !c.entry.content().any
		return c.entry, spelled, ""
	case c.field != nil:
		return nil, *s, fmt.Sprintf("%s has no field %s", here(at), Cut(bareOrQuoted(s.Name), MaxValue))
	case c.element == nil:
		return nil, *s, fmt.Sprintf("%s is %s and has nothing below it", here(at), c.scalar)
	}
	switch elements := c.element.content(); {
	case elements.any:
		return c.element, *s, ""
	case elements.scalar&textual != 0:
		return c.element, Step{Kind: Member, Name: strconv.Quote(s.Name)}, ""
	default:
		return nil, *s, here(at) + ` is a list: name its elements, as in [*] or [name="x"]`
	}
}

// compareKeys says what is wrong with the key of an element.
func (c content) compareKeys(keys []KeyField, at Path) (wrong string) {
	for _, key := range keys {
		if c.any {
			return ""
		}
		name := Step{Kind: Named, Name: key.Name}
		field, _, wrong := c.named(&name, at)
		if wrong == "" {
			wrong = field.content().compare(key.Value, at.Below(name))
		}
		if wrong != "" {
			return wrong
		}
	}
	return ""
}

// compare says what is wrong with a scalar that a value here is compared with.
func (c content) compare(with string, at Path) (wrong string) {
	kind := scalarIn(with)
	switch {
	case c.any, kind == 0, c.scalar&kind != 0:
		return ""
	case c.scalar == 0:
		return here(at) + " is not one value, so it can't be " + Cut(with, MaxValue)
	default:
		return fmt.Sprintf("%s is %s, and %s is %s", here(at), c.scalar, Cut(with, MaxValue), kind)
	}
}

// scalarIn is what the text of a scalar stands for; zero is null, which may be anywhere.
func scalarIn(written string) scalar {
	switch {
	case strings.HasPrefix(written, `"`):
		return textual
	case written == "true" || written == "false":
		return boolean
	case written == "null":
		return 0
	default:
		return numeric
	}
}

// here names a place in an error.
func here(at Path) string {
	if len(at.Steps) == 0 {
		return "the object"
	}
	return Cut(at.String(), MaxPath)
}

// Must returns the path's text as an edit has it if objects of type T can have such a field,
// and panics with an [Error] if they can't.
func Must[T Object](text string) string {
	checked, _, err := Kind{Type: reflect.TypeFor[T]()}.Check(text, nil)
	if err != nil {
		panic(err)
	}
	return checked.String()
}

package delta

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

// MustPath returns a path's text if objects of type T can have such a field, and panics
// with a [PathError] if they can't:
//
//	var image = delta.MustPath[*appsv1.Deployment]("spec.template.spec.containers[*].image")
//
// It goes by the Go type and the names in its JSON tags; a field that is optional exists.
// Where the type leaves open what follows, as a RawExtension and an interface do, anything
// may follow. Of metav1.PartialObjectMetadata the metadata is checked, and of unstructured
// objects too: see [CheckPathBySchema] for the rest of them. The text is returned as an
// [Edit] has it.
func MustPath[T Object](text string) string {
	checked, _, err := pathKind{typ: reflect.TypeFor[T]()}.check(text, nil)
	if err != nil {
		panic(err)
	}
	return checked.String()
}

// CheckPath returns an error if objects of the example's type can't have such a field, as
// [MustPath] does. That is a [PathError], or says why the text can't be read.
func CheckPath(example Object, text string) error { return CheckPathBySchema(example, nil, text) }

// CheckPathBySchema is [CheckPath] for objects whose Go type does not say what they have:
// unstructured ones, and metadata alone. Where the schemas do not know the example's kind
// nothing is wrong with a path.
func CheckPathBySchema(example Object, schemas Schemas, text string) error {
	if example == nil {
		return fmt.Errorf("check path %s: there is no example of the objects", cut(text, maxPath))
	}
	_, _, err := kindOf(example).check(text, schemas)
	return err
}

// PathError says that a path names a field that can't exist.
type PathError struct {
	Path string // as it was given
	In   string // the kind or the type that has no such field
	Why  string // what is wrong with the path
	// Meant is a path that can exist and was probably meant. It is empty where there is
	// none.
	Meant string
}

// Error has all of it.
func (e *PathError) Error() string {
	text := fmt.Sprintf("path %s can't exist in %s: %s", cut(e.Path, maxPath), e.In, e.Why)
	if e.Meant != "" {
		text += "; did you mean " + cut(e.Meant, maxPath) + "?"
	}
	return text
}

// pathKind is a kind of objects as paths are checked for it. The Go type says what fields
// there are, and where it does not, the kind by which schemas find them.
type pathKind struct {
	typ  reflect.Type
	kind schema.GroupVersionKind
}

func kindOf(obj Object) pathKind {
	k := pathKind{typ: reflect.TypeOf(obj)}
	if present(obj) != nil {
		k.kind = obj.GetObjectKind().GroupVersionKind()
	}
	return k
}

// untyped reports whether the Go type does not say what objects have.
func (k pathKind) untyped() bool {
	return k.typ == reflect.TypeFor[*metav1.PartialObjectMetadata]() || k.typ.Implements(reflect.TypeFor[runtime.Unstructured]())
}

// cost orders kinds by what it takes to check a path.
func (k pathKind) cost() int {
	if k.untyped() {
		return 1
	}
	return 0
}

// same reports whether the same paths are legal in another kind.
func (k pathKind) same(other pathKind) bool {
	return k.typ == other.typ && (!k.untyped() || k.kind == other.kind)
}

// String names the kind in an error.
func (k pathKind) String() string {
	if k.kind.Kind != "" {
		return k.kind.GroupVersion().String() + " " + k.kind.Kind
	}
	t := k.typ
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	dir, version := path.Split(t.PkgPath())
	return path.Join(path.Base(dir), version) + "." + t.Name() // such as apps/v1.Deployment
}

// root is the place that the whole object is.
func (k pathKind) root(schemas Schemas) slot {
	if !k.untyped() {
		return goSlot{k.typ}
	}
	described, err := schemaOf(schemas, k.kind)
	if err != nil { // then the path is not known to be wrong
		return untypedRoot{unknownSlot{}}
	}
	return untypedRoot{described}
}

// verdict is what came of a check that found nothing wrong.
type verdict uint8

const (
	// notKnown means that nothing describes the place.
	notKnown verdict = iota
	// canExist means that a type or schema has such a field, or leaves it open.
	canExist
)

// check reads a path and looks for it in the kind. The path that it returns is spelled as
// an [Edit] would spell it.
func (k pathKind) check(text string, schemas Schemas) (Path, verdict, error) {
	asked, err := ParsePath(text)
	if err != nil {
		if meant := k.meant(text, schemas); meant != "" {
			err = fmt.Errorf("%w; did you mean %s?", err, cut(meant, maxPath))
		}
		return Path{}, notKnown, err
	}
	checked, found, wrong := lookUp(k.root(schemas), asked)
	if wrong == "" {
		return checked, found, nil
	}
	return asked, notKnown, &PathError{Path: text, In: k.String(), Why: wrong, Meant: k.meant(text, schemas)}
}

// lookUp takes the steps of a path from the root of an object, and says what is wrong
// with the first one that leads nowhere.
func lookUp(root slot, asked Path) (checked Path, found verdict, wrong string) {
	at := root
	for i := range asked.steps {
		now := at.content()
		if now.any {
			checked.steps = append(checked.steps, asked.steps[i:]...)
			if now.unknown || i == 0 {
				return checked, notKnown, ""
			}
			return checked, canExist, ""
		}
		next, spelled, wrong := now.step(&asked.steps[i], checked)
		if wrong != "" {
			return checked, notKnown, wrong
		}
		at, checked.steps = next, append(checked.steps, spelled)
	}
	if at.content().unknown {
		return checked, notKnown, ""
	}
	return checked, canExist, ""
}

// step takes one step, or says what is wrong with it. What it returns is spelled as an
// Edit would spell it.
func (c content) step(s *step, at Path) (next slot, spelled step, wrong string) {
	switch {
	case s.kind == named:
		return c.named(s, at)
	case s.kind == every && c.element == nil && c.entry != nil:
		return c.entry, *s, ""
	case c.element == nil:
		return nil, *s, here(at) + " is no list"
	case s.kind == member:
		return c.element, *s, c.element.content().compare(s.name, at.below(step{kind: every}))
	case s.kind == element:
		return c.element, *s, c.element.content().compareKeys(s.keys, at.below(step{kind: every}))
	default:
		return c.element, *s, ""
	}
}

func (c content) named(s *step, at Path) (next slot, spelled step, wrong string) {
	spelled = *s
	if c.field != nil {
		if next, ok := c.field(s.name); ok {
			spelled.entry = false
			return next, spelled, ""
		}
	}
	switch {
	case c.entry != nil:
		spelled.entry = s.entry || !c.entry.content().any
		return c.entry, spelled, ""
	case c.field != nil:
		return nil, *s, fmt.Sprintf("%s has no field %s", here(at), cut(bareOrQuoted(s.name), maxValue))
	case c.element == nil:
		return nil, *s, fmt.Sprintf("%s is %s and has nothing below it", here(at), c.scalar)
	}
	switch elements := c.element.content(); {
	case elements.any:
		return c.element, *s, ""
	case elements.scalar&textual != 0:
		return c.element, step{kind: member, name: strconv.Quote(s.name)}, ""
	default:
		return nil, *s, here(at) + ` is a list: name its elements, as in [*] or [name="x"]`
	}
}

// compareKeys says what is wrong with the key of an element.
func (c content) compareKeys(keys []keyField, at Path) (wrong string) {
	for _, key := range keys {
		if c.any {
			return ""
		}
		name := step{kind: named, name: key.name}
		field, _, wrong := c.named(&name, at)
		if wrong == "" {
			wrong = field.content().compare(key.value, at.below(name))
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
		return here(at) + " is not one value, so it can't be " + cut(with, maxValue)
	default:
		return fmt.Sprintf("%s is %s, and %s is %s", here(at), c.scalar, cut(with, maxValue), kind)
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
	if len(at.steps) == 0 {
		return "the object"
	}
	return cut(at.String(), maxPath)
}

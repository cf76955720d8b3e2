package diff

import (
	"errors"
	"fmt"
	"math"
	"reflect"

	unstructuredv1 "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/delta-runtime/delta-runtime/internal/path"
)

// Apply makes the change to a copy of an object, which shares no memory with it. For
// the old object that gives the new one, except for what is left out (see [Diff.Full]) and
// for the order in lists that are sets or maps: elements that are there stay where they
// are, new ones come last. Another object may do, too, if it has the elements that were
// changed; what is to be removed may be gone already.
//
// No object stands for one that is not there: it is what comes of a deletion, and what a
// creation can be applied to. Apply compares the objects again, so that it has every
// edit, and of Secrets the values.
func (d *Diff) Apply(to Object) (Object, error) {
	to = path.Present(to)
	if d.after == nil {
		return nil, nil //nolint:nilnil // no object is what is left
	}
	if to == nil && d.before != nil {
		return nil, fmt.Errorf("apply changes of %s: there is not an object to apply them to", d.name())
	}
	f := d.compare(math.MaxInt, hideNothing) // its errors are as careful as ever
	if f.err != nil {
		return nil, f.err
	}
	if to == nil {
		if to, f.err = emptyLike(d.after); f.err != nil {
			return nil, f.err
		}
	}
	applied, err := d.apply(to, treeOf(f.edits))
	switch {
	case err == nil:
		return applied, nil
	case !d.secret(d.before, d.after, to):
		return nil, fmt.Errorf("apply changes of %s: %w", d.name(), err)
	case errors.Is(err, errMismatch): // whose text would have names, and texts of others values
		return nil, fmt.Errorf("apply changes of %s: %w", d.name(), errMismatch)
	default:
		return nil, fmt.Errorf("apply changes of %s: the objects can't be read; the reasons are hidden", d.name())
	}
}

// emptyLike returns an object of the same Go type that says the same kind.
func emptyLike(obj Object) (Object, error) {
	t := reflect.TypeOf(obj)
	if t.Kind() != reflect.Pointer {
		return nil, fmt.Errorf("make a new %T: it is not a pointer", obj)
	}
	empty, ok := reflect.New(t.Elem()).Interface().(Object)
	if !ok {
		panic(fmt.Sprintf("BUG: an empty %T is not an object", obj))
	}
	if u, ok := empty.(*unstructuredv1.Unstructured); ok {
		u.Object = map[string]any{}
	}
	empty.GetObjectKind().SetGroupVersionKind(obj.GetObjectKind().GroupVersionKind())
	return empty, nil
}

func (d *Diff) apply(to Object, changes *branch) (applied Object, err error) {
	var errs []error
	for _, convert := range d.ways(to) {
		err := path.Guard(func() error {
			state, err := convert(to)
			if err != nil {
				return err
			}
			content, err := contentOf(to)
			if err != nil {
				return err
			}
			if content, err = changes.applyToMap(state.AsValue(), content); err != nil {
				return err
			}
			applied, err = objectOf(content, to)
			return err
		})
		if err == nil {
			return applied, nil
		}
		if errors.Is(err, errMismatch) {
			return nil, err
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// errMismatch means that an object does not have what the changes are about.
var errMismatch = errors.New("the object does not have what was changed")

// branch is a place at which something changed, or below which something did. As a
// tree of these the edits are applied in one walk, however many there are in a list.
type branch struct {
	step  path.Step
	edit  *edit // nil if something changed only below
	below []*branch
	named map[string]*branch // the same, by the text of their steps
}

func treeOf(edits []edit) *branch {
	root := &branch{}
	for i := range edits {
		at := root
		for _, s := range edits[i].path.Steps {
			at = at.next(s)
		}
		at.edit = &edits[i]
	}
	return root
}

func (b *branch) next(s path.Step) *branch {
	text := s.Text()
	if next, ok := b.named[text]; ok {
		return next
	}
	if b.named == nil {
		b.named = map[string]*branch{}
	}
	next := &branch{step: s}
	b.named[text] = next
	b.below = append(b.below, next)
	return next
}

// outcome is what has become of a value.
type outcome struct {
	value any
	gone  bool
}

// apply changes content, which is what state is in the form of unstructured objects.
// Both are nil where there is nothing.
func (b *branch) apply(state value.Value, content any) (outcome, error) {
	switch {
	case b.edit != nil && b.edit.removed():
		return outcome{gone: true}, nil
	case b.edit != nil:
		return outcome{value: cloneJSON(unstructured(b.edit.after))}, nil
	case len(b.below) > 0 && b.below[0].step.In != nil:
		list, ok := content.([]any)
		if !ok {
			return outcome{}, fmt.Errorf("%w: no list where one had changed", errMismatch)
		}
		list, err := b.applyToList(path.AsList(state), list)
		return outcome{value: list}, err
	default:
		m, ok := content.(map[string]any)
		if !ok && content != nil {
			return outcome{}, fmt.Errorf("%w: neither a map nor nothing where a map had changed", errMismatch)
		}
		m, err := b.applyToMap(state, m)
		return outcome{value: m}, err
	}
}

func (b *branch) applyToMap(state value.Value, content map[string]any) (map[string]any, error) {
	if content == nil {
		content = map[string]any{}
	}
	fields := path.AsMap(state)
	for _, next := range b.below {
		name := next.step.Name
		result, err := next.apply(path.FieldOf(fields, name), content[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if result.gone {
			delete(content, name)
			continue
		}
		content[name] = result.value
	}
	return content, nil
}

// applyToList finds the elements in state, because what they are called depends on
// fields that content may leave out.
func (b *branch) applyToList(state value.List, content []any) ([]any, error) {
	shape := b.below[0].step.In
	if state == nil || state.Length() != len(content) {
		return nil, fmt.Errorf("%w: no list where one had changed", errMismatch)
	}
	kept, met := content[:0], map[string]bool{}
	for i, v := range content {
		text, ok := shape.Text(state.At(i))
		if !ok || met[text] {
			return nil, fmt.Errorf("%w: elements of the list have no key of their own", errMismatch)
		}
		met[text] = true
		next, changed := b.named[text]
		if !changed {
			kept = append(kept, v)
			continue
		}
		result, err := next.apply(state.At(i), v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text, err)
		}
		if !result.gone {
			kept = append(kept, result.value)
		}
	}
	for _, next := range b.below {
		switch text := next.step.Text(); {
		case met[text] || next.edit != nil && next.edit.removed():
		case next.edit == nil:
			return nil, fmt.Errorf("%w: there is no element %s", errMismatch, text)
		default:
			kept = append(kept, cloneJSON(unstructured(next.edit.after)))
		}
	}
	return kept, nil
}

package diff

import (
	"cmp"
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
)

// Touches reports whether something changed at one of the paths, above it or below it:
// "spec" and "spec.replicas" touch each other. It is false only where a change is ruled
// out, so it is true as well if
//   - the objects can't be compared, and [Diff.Err] says why,
//   - more changed than is kept, and [Diff.Truncated] says so,
//   - the objects are two, because their UIDs differ,
//   - the path is outside of metadata, the objects are metadata alone, and their
//     versions differ,
//   - the path is one of those that are left out,
//   - no object of these types can have such a field; see MustPath of package delta, or
//   - something changed in an unstructured object that no schema describes and that never
//     had such a field, which may be misspelt.
func (d *Diff) Touches(paths ...string) bool {
	for _, text := range paths {
		field, err := path.Parse(text)
		if err != nil || d.touchesPath(field) {
			return true
		}
	}
	return false
}

// touchesPath is [Diff.Touches] for one path that has been parsed.
func (d *Diff) touchesPath(field path.Path) bool {
	return d.touches(field) || d.lacks(field) || d.unheardOf(field)
}

// unheardOf reports whether nothing tells that there is such a field: no type or schema
// describes it, and neither state has it. If anything changed, that may be what was meant.
func (d *Diff) unheardOf(field path.Path) bool {
	if len(d.result().edits) == 0 {
		return false
	}
	fields := field.Steps // the key of a map need not be there
	if i := slices.IndexFunc(fields, func(s path.Step) bool { return s.Entry }); i >= 0 {
		fields = fields[:i]
	}
	looked := false
	for _, obj := range []Object{d.before, d.after} {
		u, untyped := obj.(runtime.Unstructured)
		if !untyped {
			continue
		}
		found, wrong := d.lookUp(obj, field)
		if found == path.CanExist || wrong != "" || holds(value.NewValueInterface(u.UnstructuredContent()), fields) {
			return false
		}
		looked = true
	}
	return looked
}

// lacks reports whether none of the objects can have such a field, as far as their types
// tell. The field that was meant is not known then, and may have changed.
func (d *Diff) lacks(field path.Path) bool {
	wrong := false
	for _, obj := range []Object{d.before, d.after} {
		if obj == nil {
			continue
		}
		found, why := d.lookUp(obj, field)
		if found == path.CanExist {
			return false
		}
		wrong = wrong || why != ""
	}
	return wrong
}

// lookUp tells whether an object of the kind of obj can have such a field, and if not why.
func (d *Diff) lookUp(obj Object, field path.Path) (found path.Verdict, wrong string) {
	kind := path.KindOf(obj)
	kind.GVK = cmp.Or(kind.GVK, d.kind)
	return kind.LookUp(field, d.schemas)
}

// TouchesAny is [Diff.Touches] for paths that are known to be right. If a kind can't have such
// a field, a change of an object of this kind does not touch it. It is for our own packages,
// which check and parse their paths once.
func (d *Diff) TouchesAny(paths []path.Path) bool {
	return slices.ContainsFunc(paths, func(field path.Path) bool { return d.touches(field) || d.unheardOf(field) })
}

// touches is TouchesAny for one path, but without unheardOf.
func (d *Diff) touches(field path.Path) bool {
	r := d.result()
	if r.err != nil || r.truncated || d.replaced() || !d.identical() && path.Noise(field) {
		return true
	}
	if d.unseen() && !withinOne(field, shownByMetadata) {
		return true
	}
	for i := range r.edits {
		if r.edits[i].touches(field) {
			return true
		}
	}
	return d.shifts(field)
}

// shifts reports whether another element has come to the place that a path names. Apart
// from this, the order of elements does not count where a schema says by what they are
// known.
func (d *Diff) shifts(field path.Path) bool {
	last := -1
	for i := range field.Steps {
		if field.Steps[i].Kind == path.Place {
			last = i
		}
	}
	if last < 0 || d.before == nil || d.after == nil || d.identical() {
		return false
	}
	differ := true // unless it turns out that they don't
	_ = path.Guard(func() error {
		before, err := valueAt(d.before, field.Steps[:last+1])
		if err != nil {
			return err
		}
		after, err := valueAt(d.after, field.Steps[:last+1])
		if err != nil {
			return err
		}
		differ = !value.Equals(value.NewValueInterface(before), value.NewValueInterface(after))
		return nil
	})
	return differ
}

var errSeveral = errors.New("a path leads to several places")

// valueAt returns what is at a place, nil if there is nothing. A path may lead to one place only.
func valueAt(obj Object, steps []path.Step) (any, error) {
	content, err := contentOf(obj)
	if err != nil {
		return nil, err
	}
	var at any = content
	for i := range steps {
		switch s := &steps[i]; s.Kind {
		case path.Named:
			fields, _ := at.(map[string]any)
			at = fields[s.Name]
		case path.Place:
			list, _ := at.([]any)
			if s.Index >= len(list) {
				return nil, nil //nolint:nilnil // nothing is there
			}
			at = list[s.Index]
		default:
			return nil, errSeveral
		}
	}
	return at, nil
}

// touches looks into what came or went for a path that goes further: a label that is
// not among the first ones that an object was given has not changed.
func (e *edit) touches(field path.Path) bool {
	below, ok := e.path.LeadsTo(field)
	if !ok || len(below) == 0 {
		return ok
	}
	switch {
	case e.added():
		return holds(e.after, below)
	case e.removed():
		return holds(e.before, below)
	default:
		return true
	}
}

// shownByMetadata is what an object shows that is kept as its metadata alone.
var shownByMetadata = [][]string{{"metadata"}, {"apiVersion"}, {"kind"}}

// unseen reports whether something may have changed that this form of the objects does
// not show: another version of an object may differ in anything.
func (d *Diff) unseen() bool {
	if !metadataOnly(d.before) && !metadataOnly(d.after) {
		return false
	}
	if d.before == nil || d.after == nil {
		return d.before != d.after
	}
	return !d.identical() && !path.SameVersion(d.before, d.after)
}

func metadataOnly(obj Object) bool {
	_, ok := obj.(*metav1.PartialObjectMetadata)
	return ok
}

// replaced reports whether the new object is another one that took the place and the
// name of the old one. Whatever was made for the old one may have gone with it.
func (d *Diff) replaced() bool {
	return d.before != nil && d.after != nil && !path.SameObject(d.before, d.after)
}

package diff

import (
	"errors"
	"iter"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
)

// maxEdits is how many edits a Diff keeps. If there are more, no change is ruled out.
const maxEdits = 1000

// hidden stands in an [Edit] for a value that is not shown, because it is a Secret's.
const hidden = "(hidden)"

// Edit is one change of a [Diff]. A value that came or went as a whole is one edit: a
// container with all its fields, or the first label with the map that it is in.
type Edit struct {
	// Path is the field, in the form that [Diff.Touches] takes.
	Path string
	// Added means that the field was not there before, Removed that it is gone. If neither
	// is set, the field has another value.
	Added, Removed bool
	// Before and After are the values in the form that unstructured objects have. Before is
	// nil if the field was added, and After if it was removed. A value may be part of an
	// object: nobody may change it.
	Before, After any
}

// Diff is what changed between two states of an object. It is computed when it is
// first asked for something, and once.
//
// Where the schema says that a list is a set or a map, its elements are compared by
// value or by key, and their order counts for nothing. Other lists are one value. A
// list in which two elements have the same key is one value, too.
//
// Left out are apiVersion, kind, metadata.resourceVersion, metadata.managedFields and
// metadata.selfLink, which change with every write or never. The
// generation is not: it tells of changes that were undone since, and an operator that
// reports status.observedGeneration must not miss it.
type Diff struct {
	before, after Object
	kind          schema.GroupVersionKind // zero if only the objects may say it
	schemas       Schemas

	once  sync.Once
	found findings // once has written it
}

// findings are what there is to know once the objects have been compared.
type findings struct {
	edits     []edit
	truncated bool
	err       error
}

// edit is an Edit before it is shown to somebody.
type edit struct {
	path          path.Path
	before, after value.Value // nil where there is none

	// Invariant: at least one of before and after is not nil.
}

func (e *edit) added() bool   { return e.before == nil }
func (e *edit) removed() bool { return e.after == nil }

// New returns what changed from before to after. A nil object means that there was
// none: it was created or deleted. The objects stay in use and may not be changed.
//
// If schemas is nil, does not know the kind or rejects an object, the objects are compared
// without a schema: every list is then one value.
func New(before, after Object, schemas Schemas) *Diff {
	return OfKind(schema.GroupVersionKind{}, before, after, schemas)
}

// OfKind is [New] for objects whose kind the caller knows. An object that a typed client
// returns does not have its kind, and a Go type of your own does not tell that it is a Secret.
func OfKind(kind schema.GroupVersionKind, before, after Object, schemas Schemas) *Diff {
	return &Diff{before: path.Present(before), after: path.Present(after), kind: kind, schemas: schemas}
}

// result compares the objects, the first time it is called.
func (d *Diff) result() *findings {
	d.once.Do(func() {
		d.found.err = errors.New("the comparison has panicked") // unless it comes to its end
		d.found = d.compare()
	})
	return &d.found
}

// Paths are the fields that changed, as the [Edit]s have them.
func (d *Diff) Paths() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, e := range d.result().edits {
			if !yield(e.path.String()) {
				return
			}
		}
	}
}

// Edits are the changes: first those of spec, data and the like, then those of
// metadata, then those of status; in the order of their paths. A deletion comes
// before what goes with it, and times such as lastTransitionTime come last. There are at most
// 1,000, see [Diff.Truncated].
func (d *Diff) Edits() iter.Seq[Edit] {
	return func(yield func(Edit) bool) {
		for _, e := range d.result().edits {
			shown := Edit{
				Path: e.path.String(), Added: e.added(), Removed: e.removed(),
				Before: unstructured(e.before), After: unstructured(e.after),
			}
			if !yield(shown) {
				return
			}
		}
	}
}

func unstructured(v value.Value) any {
	if v == nil {
		return nil
	}
	return v.Unstructured()
}

// identical reports whether before and after are one object in memory, or both none.
func (d *Diff) identical() bool {
	if d.before == nil || d.after == nil {
		return d.before == nil && d.after == nil
	}
	return path.Identical(d.before, d.after)
}

// Empty reports whether nothing changed. It is false if that can't be told.
func (d *Diff) Empty() bool {
	r := d.result()
	return r.err == nil && len(r.edits) == 0 && !d.unseen()
}

// Truncated reports whether more changed than is kept.
func (d *Diff) Truncated() bool { return d.result().truncated }

// Err says why the objects could not be compared.
func (d *Diff) Err() error { return d.result().err }

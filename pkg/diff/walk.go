package diff

import (
	"cmp"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
)

// walker makes edits of what structured-merge-diff found. That is a set of the fields
// that differ; the walker goes where the set leads, and looks at both objects on the
// way. It ends an edit as high as it can, and sees what the set does not tell: null
// where there was a list, and elements that share a key.
type walker struct {
	schema *schema.Schema
	hide   seal

	edits     []edit
	truncated bool
}

// below is the path of what is one step further, until the walker goes on from p to another place. It lies in the memory
// of the paths that lead to it: a copy of each would cost the square of how deep an object is nested.
func below(p path.Path, s path.Step) path.Path { return path.Path{Steps: append(p.Steps, s)} }

// position is a place in both objects.
type position struct {
	path          path.Path
	before, after value.Value // nil where there is nothing
	typ           schema.TypeRef
	changed       *fieldpath.Set // below here
}

// visit makes the edits below a place.
func (w *walker) visit(at *position) {
	if path.AsList(at.before) == nil && path.AsList(at.after) == nil {
		w.visitMap(at)
		return
	}
	atom, _ := w.schema.Resolve(at.typ)
	shape := path.ShapeOf(w.schema, atom.List)
	before, ok1 := shape.Index(path.AsList(at.before))
	after, ok2 := shape.Index(path.AsList(at.after))
	if shape == nil || !ok1 || !ok2 {
		w.emit(at)
		return
	}
	for _, next := range changedBelow(at.changed) {
		s, ok := shape.Step(next.element)
		if !ok {
			w.emit(at) // an element by its place: structured-merge-diff has no such yet
			return
		}
		text := s.Text()
		w.step(at, next, &position{path: below(at.path, s), before: before[text], after: after[text], typ: shape.List.ElementType})
	}
}

func (w *walker) visitMap(at *position) {
	atom, _ := w.schema.Resolve(at.typ)
	before, after := path.AsMap(at.before), path.AsMap(at.after)
	all := changedBelow(at.changed)
	if len(at.path.Steps) == 0 {
		slices.SortStableFunc(all, func(a, b difference) int { return rank(a.element) - rank(b.element) })
	}
	for _, next := range all {
		if next.element.FieldName == nil {
			w.emit(at)
			return
		}
		name := *next.element.FieldName
		s := path.Step{Kind: path.Named, Name: name, Entry: at.path.OfLabels()}
		place := &position{before: path.FieldOf(before, name), after: path.FieldOf(after, name)}
		if atom.Map != nil {
			s.Entry = s.Entry || keyed(atom.Map)
			place.typ = atom.Map.ElementType
			if field, ok := atom.Map.FindField(name); ok {
				place.typ = field.Type
			}
		}
		place.path = below(at.path, s)
		w.step(at, next, place)
	}
}

// step goes on to a place below, or makes an edit of it.
func (w *walker) step(at *position, next difference, below *position) {
	below.changed = at.changed.WithPrefix(next.element)
	switch {
	case w.truncated, path.Noise(below.path):
	case below.path.Within("metadata") && len(below.path.Steps) == 1 && mapsOrNone(below):
		w.visit(below) // even if it is new: there is noise in it
	case next.whole, !alike(below.before, below.after), w.hide.ends(below.path):
		w.emit(below)
	default:
		w.visit(below)
	}
}

// emit makes one edit of a place, if there is a difference: to structured-merge-diff a
// list of structs that is one value differs by what JSON does not show, such as how a
// quantity was written.
func (w *walker) emit(at *position) {
	if at.before != nil && at.after != nil && sameJSON(at.before, at.after) {
		return
	}
	if len(w.edits) >= maxEdits {
		w.truncated = true
		return
	}
	here := path.Path{Steps: slices.Clone(at.path.Steps)}
	w.edits = append(w.edits, edit{
		path: here, before: w.hide.show(here, at.before), after: w.hide.show(here, at.after),
	})
}

// difference is an element of a set of what changed.
type difference struct {
	element fieldpath.PathElement
	whole   bool // the element itself, not only something below it
}

// changedBelow returns the elements of a set, in order.
func changedBelow(set *fieldpath.Set) []difference {
	all := make([]difference, 0, set.Members.Size())
	for pe := range set.Members.All() {
		all = append(all, difference{pe, true})
	}
	for pe := range set.Children.All() {
		if !set.Members.Has(pe) {
			all = append(all, difference{pe, false})
		}
	}
	slices.SortFunc(all, func(a, b difference) int {
		return cmp.Or(weight(a.element)-weight(b.element), a.element.Compare(b.element))
	})
	return all
}

// weight puts a deletion before what comes with it, and times that go with a change after it.
func weight(pe fieldpath.PathElement) int {
	switch {
	case pe.FieldName == nil:
		return 0
	case *pe.FieldName == "deletionTimestamp":
		return -1
	case strings.HasPrefix(*pe.FieldName, "last") && strings.HasSuffix(*pe.FieldName, "Time"):
		return 1
	default:
		return 0
	}
}

// rank puts first what people ask for first, because what comes last is cut off.
func rank(top fieldpath.PathElement) int {
	switch {
	case top.FieldName == nil:
		return 3
	case *top.FieldName == "status":
		return 2
	case *top.FieldName == "metadata":
		return 1
	default:
		return 0
	}
}

// keyed reports whether a map's keys are data, not the names of fields. A map that the
// schema knows nothing of is taken to have fields.
func keyed(m *schema.Map) bool {
	name := m.ElementType.NamedType
	return len(m.Fields) == 0 && (name == nil || !strings.HasPrefix(*name, path.UntypedPrefix))
}

// sameJSON reports whether two values are the same JSON.
func sameJSON(a, b value.Value) bool {
	return value.Equals(value.NewValueInterface(a.Unstructured()), value.NewValueInterface(b.Unstructured()))
}

// alike reports whether an edit can be below two values, not at them: both are lists,
// or both are maps.
func alike(a, b value.Value) bool {
	return path.AsMap(a) != nil && path.AsMap(b) != nil || path.AsList(a) != nil && path.AsList(b) != nil
}

func mapsOrNone(at *position) bool {
	return (at.before == nil || path.AsMap(at.before) != nil) && (at.after == nil || path.AsMap(at.after) != nil)
}

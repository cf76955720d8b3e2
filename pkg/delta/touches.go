package delta

import (
	"slices"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// Diff is what changed from Old to New. Of an object that came or went it is the whole
// object; of a resync, nothing. What happened in between and was undone is not in it; see
// [Changes.Touches].
func (c Change) Diff() *diff.Diff {
	if ends(&c) {
		return diffOf(&c, c.Object(), nil)
	}
	return diffOf(&c, c.Old, c.New)
}

func diffOf(c *Change, before, after Object) *diff.Diff {
	var schemas diff.Schemas
	if c.facts != nil {
		schemas = c.facts.Schemas
	}
	return diff.OfKind(c.Kind, before, after, schemas)
}

// Touches reports whether a change touches one of the paths, above it or below it. Where
// it is false, each object that was told of has at these paths the same value in all the
// states that it had since the reconciler last succeeded: also in those that it was led
// away from and back to, because the reconciler may have read them.
//
// It is false only where a change is ruled out. So it is true
//   - where the changes are not complete, and at a retry,
//   - in a call that a resync has led to, which asks to look at everything; see
//     [LedgerOptions].SkipOnResync,
//   - for an object that came, went, or took the place of another one,
//   - where a source has no object to show,
//   - where an unstructured object changed that no schema describes and that never had
//     such a field, which may be misspelt,
//   - where a bound, or a relist of any of the controller's kinds, has hidden some of the
//     states, and
//   - where [diff.Diff.Touches] is.
//
// A path that can't be right counts as touched, and the controller's log says so, once:
// one that can't exist in any kind that the controller watches, or that [Changes.Of] was
// asked for. [MustPath] finds such a path when the program starts.
func (c Changes) Touches(paths ...string) bool {
	asked, ok := c.asked(paths)
	if !ok || !c.complete || c.retry || c.doubt || c.looks() {
		return true
	}
	at := placesIn(c.list)
	for i := range c.list {
		if touches(&c.list[i], asked) || touchesSince(prior(&c, &at, i), &c.list[i], asked) {
			return true
		}
	}
	return false
}

// touches judges one change by itself.
func touches(c *Change, paths []path.Path) bool {
	switch {
	case c.Cause == Timer, c.Cause == Retry && c.dealt:
		return false
	case !isUpdate(c), c.unsure, c.Relisted, c.Missed:
		return true
	}
	for _, field := range paths {
		if slices.ContainsFunc(c.touched, field.Touches) {
			return true
		}
	}
	before := c.Old
	for _, state := range c.between {
		if diffOf(c, before, state).TouchesAny(paths) {
			return true
		}
		before = state
	}
	return diffOf(c, before, c.New).TouchesAny(paths)
}

// prior returns the change of the same object that comes before one in the list. It is nil if there is none.
func prior(c *Changes, at *places, i int) *Change {
	for i = at.before(c.list, &c.list[i], i); i >= 0; i = at.before(c.list, &c.list[i], i) {
		if c.list[i].Op != 0 {
			return &c.list[i]
		}
	}
	return nil
}

// touchesSince compares a change with the one before it of the same object, because what
// is between the two was not told.
func touchesSince(before, c *Change, paths []path.Path) bool {
	return before != nil && isUpdate(c) && !had(c, before.Object()) && diffOf(c, before.Object(), c.Old).TouchesAny(paths)
}

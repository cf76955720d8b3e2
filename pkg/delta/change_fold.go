package delta

import (
	"cmp"
	"slices"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
)

// maxBetween is how many states a change remembers beside Old and New. They share memory
// with these. A change that had more touches everything.
const maxBetween = 16

// maxTouched is the same for the fields that changed unseen.
const maxTouched = 2 * maxParts

// relation says where a change is in an object's history, seen from another one.
type relation uint8

const (
	elsewhere relation = iota // not known
	within                    // everything in it is known already
	behind                    // it goes on where the other one ends
	ahead                     // it ends where the other one begins
)

// fold takes another change of the same object in, and reports whether the rule in the
// package's documentation lets it. Watches have paces of their own. So what does not continue
// stays a change of its own, and New never goes back.
func fold(c, next *Change) bool {
	switch {
	case c.once != nil && c.once == next.once:
		c.unsure = c.unsure || next.unsure
		return true
	case c.Op == 0 && next.Op == 0 && c.Cause == next.Cause: // the latest speaks for all
		c.New, c.once = next.New, next.once
	case c.Op == Added && next.Op == Sync && path.SameState(c.New, next.New):
		// The Added stays as it was. A Sync that shows a later state, which nobody was told
		// of, is told beside it.
	case isUpdate(c) && isUpdate(next) && path.SameObject(c.Old, next.New) && path.SameObject(next.Old, c.New):
		where := placeOf(c, next)
		if where == elsewhere {
			return false
		}
		join(c, next, where)
	default:
		return false
	}
	c.causes = causesOf(c) | causesOf(next)
	c.unsure = c.unsure || next.unsure
	c.Deltas += next.Deltas
	c.First = slices.MinFunc([]time.Time{c.First, next.First}, time.Time.Compare)
	c.Last = slices.MaxFunc([]time.Time{c.Last, next.Last}, time.Time.Compare)
	c.news = c.news || next.news || c.retold != next.retold
	c.retold, c.told = c.retold || next.retold, cmp.Or(c.told, next.told)
	return true
}

// isUpdate reports whether an object was there before and after.
func isUpdate(c *Change) bool {
	return (c.Op == Updated || c.Op == Sync) && c.Old != nil && c.New != nil
}

// placeOf finds where next is, seen from c.
func placeOf(c, next *Change) relation {
	switch {
	case had(c, next.Old) && had(c, next.New):
		return within
	case hadBefore(next, c.New) || comesLater(c, next):
		return behind
	case path.SameState(next.New, c.Old):
		return ahead
	default:
		return elsewhere
	}
}

// comesLater reports whether next is known to come after c although it does not begin where c
// ends, because what is between them was not for this request.
func comesLater(c, next *Change) bool {
	of, number := c.once.place()
	if nextOf, nextNumber := next.once.place(); of != nil || nextOf != nil {
		return of == nextOf && number < nextNumber
	}
	return newer(c.Old, c.New) && newer(next.Old, next.New) && newer(c.New, next.New)
}

// newer reports whether b is as new as a or newer, where versions have an order.
func newer(a, b Object) bool {
	x, ordered := versionOf(a)
	y, alike := versionOf(b)
	return ordered && alike && x <= y
}

// join makes c say what both say.
func join(c, next *Change, where relation) {
	switch {
	case c.Op == Sync && next.Op == Updated:
		old := c.Old
		c.Op, c.Cause, c.Origin, c.causes, c.Old = Updated, next.Cause, next.Origin, causesOf(c), next.Old
		remember(c, old)
	case where == behind && next.Op == Updated:
		c.Origin = next.Origin
	}
	c.Relisted = c.Relisted || next.Relisted
	switch where { //nolint:exhaustive // within adds nothing
	case behind:
		old := c.New
		c.New, c.once = next.New, next.once
		remember(c, old)
		remember(c, next.Old)
	case ahead:
		old := c.Old
		c.Old = next.Old
		remember(c, old)
	}
	for _, state := range next.between {
		remember(c, state)
	}
	c.touched = append(slices.Clip(c.touched), next.touched...)
	c.unsure = c.unsure || len(c.touched) > maxTouched
	if c.Op == Sync && !path.SameState(c.Old, c.New) { // it shows what led to it only as a Sync
		old := c.Old
		c.Old = c.New
		remember(c, old)
	}
}

// had reports whether a state is among those that c remembers.
func had(c *Change, state Object) bool { return path.SameState(c.New, state) || hadBefore(c, state) }

// hadBefore reports whether a state is among those that came before New.
func hadBefore(c *Change, state Object) bool {
	return path.SameState(c.Old, state) || slices.ContainsFunc(c.between, func(other Object) bool { return path.SameState(other, state) })
}

// remember adds a state to those that the object had.
func remember(c *Change, state Object) {
	switch {
	case state == nil || had(c, state):
	case len(c.between) >= maxBetween:
		c.unsure = true
	default: // a reconciler may have the list
		c.between = append(slices.Clip(c.between), state)
	}
}

// ends reports whether this is the end of an object, as far as anybody will hear of it.
func ends(c *Change) bool { return c.Op == Deleted || c.Op == OutOfScope }

package delta

import (
	"cmp"
	"iter"
	"slices"
	"strconv"

	"github.com/delta-runtime/delta-runtime/internal/schema/path"
)

// unfold yields the changes that c was made of: one from each state to the next. A step is one
// delta if no state is missing.
func unfold(c *Change) iter.Seq[Change] {
	states := statesOf(c)
	if len(states) < 2 {
		return func(yield func(Change) bool) { yield(*c) }
	}
	told := toldOf(c, states)
	return func(yield func(Change) bool) {
		step := *c
		step.Op, step.between, step.touched, step.Origin = Updated, nil, nil, nil
		if c.Deltas == len(states)-1 {
			step.Deltas = 1
		}
		for i := range len(states) - 1 {
			step.Old, step.New, step.told = states[i], states[i+1], nil
			if i < told {
				step.told = step.New
			}
			if i == len(states)-2 {
				step.Origin = c.Origin
			}
			if !yield(step) {
				return
			}
		}
	}
}

// toldOf is how many of the steps between these states an earlier call was told.
func toldOf(c *Change, states []Object) int {
	if c.told == nil {
		return 0
	}
	i := slices.IndexFunc(states, func(state Object) bool { return path.SameState(state, c.told) })
	if i < 0 { // there was no room for it, so all between are older
		return len(states) - 2
	}
	return i
}

// retold reports whether an earlier call was told the state that c ends with.
func retold(c *Change) bool { return c.told != nil && path.SameState(c.told, c.Object()) }

// statesOf returns the states of the object that c remembers, the oldest first. Where versions have
// no order, or go back because the server did, it is the one in which c learned of them.
func statesOf(c *Change) []Object {
	if !isUpdate(c) || len(c.between) == 0 {
		return nil
	}
	all := make([]Object, 0, len(c.between)+2)
	if c.Op == Updated { // of a Sync, Old is New
		all = append(all, c.Old)
	}
	all = append(append(all, c.between...), c.New)
	newest, _ := versionOf(c.New)
	if slices.ContainsFunc(all, func(state Object) bool { v, ok := versionOf(state); return !ok || v > newest }) {
		return all
	}
	slices.SortStableFunc(all, func(a, b Object) int {
		x, _ := versionOf(a)
		y, _ := versionOf(b)
		return cmp.Compare(x, y)
	})
	return all
}

func versionOf(obj Object) (uint64, bool) {
	n, err := strconv.ParseUint(obj.GetResourceVersion(), 10, 64)
	return n, err == nil
}

package delta

import (
	"hash/maphash"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
	"github.com/delta-runtime/delta-runtime/internal/schema/path"
)

// stepID tells the steps of a controller apart, by hashes of the name and of what they say
// that they depend on. Among a million steps the chance that two share one is one in thirty
// million.
type stepID struct{ name, on uint32 }

var stepSeed = maphash.MakeSeed()

// id returns what the step is known by, from call to call.
func (s Step) id(name string) stepID {
	var h maphash.Hash
	h.SetSeed(stepSeed)
	for i := range s.on {
		d := &s.on[i]
		var kind schema.GroupVersionKind
		if example := path.Present(d.example); example != nil {
			kind = example.GetObjectKind().GroupVersionKind()
		}
		maphash.WriteComparable(&h, reflect.TypeOf(d.example))
		maphash.WriteComparable(&h, kind)
		maphash.WriteComparable(&h, d.key)
		for _, text := range d.paths {
			maphash.WriteComparable(&h, text)
		}
	}
	return stepID{name: uint32(maphash.String(stepSeed, name)), on: uint32(h.Sum64())} //nolint:gosec // half of a hash
}

// doneSteps are the steps of a request that may be skipped, if nothing touches what they
// depend on. Each has succeeded, or was skipped itself, in the last call that succeeded. A
// step that this call did not reach is not among them: what was told then was dealt with, and
// the step has not seen it. A failed call takes out the steps that failed, with all that have their name,
// and adds those that succeeded. It does not change, because requests share it.
type doneSteps struct {
	ids    []stepID // in the order of the call, and a step that was reached twice is there twice
	others bool     // all others, too: nobody has said what there is
	except []stepID // of the others
}

// everyStep is where nobody knows of steps, noStep where none is done.
var everyStep, noStep = &doneSteps{others: true}, &doneSteps{}

// maxDone is how many steps of a call are remembered. Those beyond always run.
const maxDone = 256

// has reports whether the step may be skipped, which is reached for the nth time.
func (d *doneSteps) has(id stepID, nth int) bool {
	return count(d.ids, id) >= nth || d.others && !named(d.except, id)
}

// named reports whether one of the steps has the name of id.
func named(ids []stepID, id stepID) bool {
	return slices.ContainsFunc(ids, func(other stepID) bool { return other.name == id.name })
}

func count(ids []stepID, id stepID) (n int) {
	for _, other := range ids {
		if other == id {
			n++
		}
	}
	return n
}

// reachedSteps are those of a call. While they come as in the last call that succeeded, it
// holds no list of its own.
type reachedSteps struct {
	alike   int // how many came as before
	strayed bool
	ids     []stepID // once it has strayed
	undone  []stepID // that have begun and not succeeded
}

// reach notes a step, and reports whether it may be skipped.
func (r *reachedSteps) reach(id stepID, done *doneSteps) bool {
	before := done.ids
	if !r.strayed {
		if r.alike < len(before) && before[r.alike] == id {
			r.alike++
			return true
		}
		r.strayed, r.ids = true, slices.Clone(before[:r.alike])
	}
	if len(r.ids) == maxDone {
		return false
	}
	r.ids = append(r.ids, id)
	return done.has(id, count(r.ids, id))
}

// then returns the steps that are done after a call with this outcome, which has reached r.
func (d *doneSteps) then(r *reachedSteps, how ledger.Outcome) *doneSteps {
	before := d.ids
	reached := r.ids
	if !r.strayed {
		reached = before[:r.alike:r.alike]
	}
	if how != ledger.Failed && how != ledger.Unfinished {
		if !r.strayed && r.alike == len(before) && !d.others {
			return d
		}
		return &doneSteps{ids: reached}
	}
	undone := func(id stepID) bool { return named(r.undone, id) }
	after := &doneSteps{ids: slices.Clone(before)}
	if d.others {
		after.others, after.except = true, slices.Concat(d.except, r.undone)
		after.except = slices.DeleteFunc(after.except, func(id stepID) bool { return named(reached, id) && !undone(id) })
	}
	for i, id := range reached {
		if !undone(id) && count(reached[:i+1], id) > count(after.ids, id) && len(after.ids) < maxDone {
			after.ids = append(after.ids, id)
		}
	}
	after.ids = slices.DeleteFunc(after.ids, undone)
	return after
}

// recentSteps has requests share what is the same for many of them.
type recentSteps struct {
	kept [8]*doneSteps
	next int
}

func (r *recentSteps) shared(d *doneSteps) *doneSteps {
	if d.others || len(d.ids) == 0 {
		return d
	}
	for _, other := range r.kept {
		if other != nil && slices.Equal(other.ids, d.ids) {
			return other
		}
	}
	r.kept[r.next] = d
	r.next = (r.next + 1) % len(r.kept)
	return d
}

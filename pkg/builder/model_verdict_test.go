package builder_test

import (
	"maps"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// verdict judges what was told to one request.
type verdict struct {
	t        *testing.T
	request  string
	happened map[string][]happened
	narrow   bool // there are more events than the ledger can hold

	dealt    map[string]int // the number of events of each object that are dealt with
	failures int            // failures in a row
	known    bool           // a reconciler has succeeded
	lossy    time.Time      // the last time at which a call was told that changes may be missing
	complete int
}

func (v *verdict) judge(calls []call) {
	v.dealt = map[string]int{}
	for i := range calls {
		v.one(i, &calls[i])
	}
	for id, all := range v.happened {
		for _, h := range all[v.dealt[id]:] {
			if h.Seen.After(v.lossy) {
				v.t.Errorf("%s was never told %s %s at %v, nor that changes may be missing", v.request, id, h.Op, h.Seen)
			}
		}
	}
}

func (v *verdict) one(i int, c *call) {
	if forgotten := c.of.Attempt() == 1 && !c.of.Complete() && v.narrow; forgotten {
		v.failures = 0 // the ledger has forgotten everything about the request
	}
	if c.of.Attempt() != v.failures+1 || c.of.Has(delta.Retry) != (v.failures > 0) {
		v.t.Errorf("%s, call %d: attempt %d after %d failures: %s", v.request, i, c.of.Attempt(), v.failures, c.of)
	}
	told := maps.Clone(v.dealt)
	for _, change := range c.changes {
		if change.Cause == delta.Retry || change.Cause == delta.Timer {
			continue
		}
		id := change.Kind.Kind + " " + change.Key.Name
		n, ok := v.find(change, v.happened[id][told[id]:], c)
		if !ok {
			v.t.Errorf("%s, call %d (%s): %s, which is not the next event of %s", v.request, i, c.of, change, id)
		}
		told[id] += n
	}
	if c.of.Complete() {
		v.complete++
		if !v.known {
			v.t.Errorf("%s, call %d: %s are complete, although there was no success yet", v.request, i, c.of)
		}
	} else {
		v.lossy = later(v.lossy, c.at)
	}
	if v.failures++; !c.failed {
		v.failures = 0
	}
	if c.dealt {
		v.dealt, v.known = told, true
	}
}

// find returns how many of the next events of an object a change covers. If the changes are
// not complete, it may leave out some events, also in its middle.
func (v *verdict) find(change delta.Change, next []happened, c *call) (n int, ok bool) {
	for skipped := range next {
		if skipped > 0 && (c.of.Complete() && next[skipped-1].Seen.After(v.lossy) || next[skipped-1].Seen.After(c.at)) {
			return 0, false
		}
		from := next[skipped:]
		for length := change.Deltas; length <= len(from); length++ {
			if says(change, from[:length]) && (length == change.Deltas || !c.of.Complete()) {
				return skipped + length, true
			}
		}
	}
	return 0, false
}

// says reports whether a change is the sum of these events.
func says(change delta.Change, run []happened) bool {
	first, last := &run[0], &run[len(run)-1]
	if len(run) > change.Deltas { // an event in the middle is missing
		return change.First.Equal(first.Seen) && change.Last.Equal(last.Seen) && same(change.Old, first.Old) && same(change.New, last.New)
	}
	op, relisted := delta.Sync, false
	for i := range run {
		switch of := run[i].Op; {
		case of == delta.Sync:
		case i == 0, of == delta.Updated && (op == delta.Updated || op == delta.Sync):
			op, relisted = of, relisted || run[i].Relisted
		default:
			return false // a creation and a deletion are changes of their own
		}
	}
	if len(run) > 1 && op == delta.Deleted {
		return false
	}
	cause := map[schema.GroupVersionKind]delta.Cause{configMap: delta.Primary, pod: delta.Owned, secret: delta.Mapped}[first.kind]
	switch {
	case op == delta.Sync && first.Resync() != nil:
		cause = delta.Resync
	case op == delta.Sync:
		cause = delta.Relist
	}
	return change.Cause == cause && change.Kind == first.kind && change.Op == op &&
		change.Missed == first.Missed && change.Relisted == relisted &&
		change.First.Equal(first.Seen) && change.Last.Equal(last.Seen) &&
		same(change.Old, first.Old) && same(change.New, last.New)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func same(obj delta.Object, state any) bool {
	if obj == nil || state == nil {
		return obj == nil && state == nil
	}
	return any(obj) == state
}

package builder_test

import (
	"maps"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// verdict judges what was told for one request.
type verdict struct {
	t        *testing.T
	request  string
	happened map[string][]happened
	narrow   bool // more happens than the ledger can hold

	dealt    map[string]int // how much of it a reconciler has succeeded with
	failures int            // in a row
	known    bool           // a reconciler has succeeded
	lossy    time.Time      // until when something may be lacking, as was said
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
				v.t.Errorf("%s was never told of %s %s at %v, nor that something is lacking", v.request, id, h.Op, h.Seen)
			}
		}
	}
}

func (v *verdict) one(i int, c *call) {
	if forgotten := c.of.Attempt() == 1 && !c.of.Complete() && v.narrow; forgotten {
		v.failures = 0 // with all that was known of the request
	}
	if c.of.Attempt() != v.failures+1 || c.of.Has(delta.Retry) != (v.failures > 0) {
		v.t.Errorf("%s, call %d: attempt %d after %d failures: %s", v.request, i, c.of.Attempt(), v.failures, c.of)
	}
	told, born := maps.Clone(v.dealt), false
	for _, change := range c.changes {
		if change.Cause == delta.Retry || change.Cause == delta.Timer {
			continue
		}
		id := change.Kind.Kind + " " + change.Key.Name
		n, ok := v.find(change, v.happened[id][told[id]:], c)
		if !ok {
			v.t.Errorf("%s, call %d (%s): %s, which is not what has happened next to %s", v.request, i, c.of, change, id)
		}
		told[id] += n
		born = born || change.Cause == delta.Primary && change.Op == delta.Added
	}
	if c.of.Complete() {
		v.complete++
		if !v.known && !born {
			v.t.Errorf("%s, call %d: %s is said to be everything, before the first success", v.request, i, c.of)
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

// find returns how many of the events of an object are over with a change. Where
// something was said to be lacking, it may have left out some, also in its middle.
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

// says reports whether a change is what these events come down to.
func says(change delta.Change, run []happened) bool {
	first, last := &run[0], &run[len(run)-1]
	if len(run) > change.Deltas { // something in the middle is lacking
		return change.First.Equal(first.Seen) && change.Last.Equal(last.Seen) && same(change.Old, first.Old) && same(change.New, last.New)
	}
	op, relisted := delta.Sync, false
	for i := range run {
		switch of := run[i].Op; {
		case of == delta.Sync:
		case i == 0, of == delta.Updated && (op == delta.Updated || op == delta.Sync):
			op, relisted = of, relisted || run[i].Relisted
		default:
			return false // what begins or ends is a change of its own
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

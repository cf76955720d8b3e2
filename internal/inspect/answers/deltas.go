package answers

import (
	"slices"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// ops has the ops by their names. The empty name is of none, and so of all in a filter.
var ops = map[string]delta.Op{}

func init() {
	for op := delta.Added; op <= delta.OutOfScope; op++ {
		ops[op.String()] = op
	}
}

// Deltas is the [inspector.Subject]'s.
func (o *Operator) Deltas(q inspector.DeltaQuery) v1.DeltaList {
	all := v1.DeltaList{At: time.Now()}
	var found []journal.Entry
	found, all.Dropped = o.journal.Deltas(filterOf(q))
	if !q.First {
		all.Items, all.Cut = o.telling().deltasOf(found)
		return all
	}
	slices.Reverse(found)
	all.Items, all.Cut = o.telling().deltasOf(found)
	slices.Reverse(all.Items)
	return all
}

func filterOf(q inspector.DeltaQuery) journal.Filter {
	return journal.Filter{
		Kind: q.Kind, Namespace: q.Namespace, Name: q.Name, Op: ops[q.Op], Manager: q.Manager,
		Since: q.Since, Until: q.Until, Limit: q.Limit, First: q.First,
	}
}

// deltasOf returns the deltas that the answer has room for, and why these are not all. If there is no room for one, none is shown
// that comes after it: a reader may go on after the last.
func (t *telling) deltasOf(found []journal.Entry) (shown []v1.Delta, why string) {
	for i := range found {
		d := deltaOf(&found[i])
		if !t.fits(&d) {
			break
		}
		shown = append(shown, t.withEdits(d, &found[i]))
	}
	return shown, cut(len(shown), len(found))
}

func deltaOf(e *journal.Entry) v1.Delta {
	d := &e.Delta
	return v1.Delta{
		ID: e.ID, Seen: d.Seen, Kind: e.Kind, Namespace: d.Key.Namespace, Name: d.Key.Name,
		Op: d.Op.String(), ResourceVersion: d.Version, Manager: e.Manager(), Missed: d.Missed, Relisted: d.Relisted,
	}
}

func (t *telling) withEdits(shown v1.Delta, e *journal.Entry) v1.Delta {
	before, _ := e.Delta.Old.(delta.Object)
	after, _ := e.Delta.New.(delta.Object)
	if e.Delta.Op == delta.Updated && before != nil && after != nil {
		shown.Edits, shown.EditsLeftOut = t.edits(states{before, after}, func() *diff.Diff { return diff.OfKind(e.GVK, before, after, t.operator.schemas) })
	}
	return shown
}

// Newest is the [inspector.Subject]'s.
func (o *Operator) Newest() uint64 { return o.journal.Newest() }

// Follow is the [inspector.Subject]'s.
func (o *Operator) Follow(q inspector.DeltaQuery) inspector.Stream {
	return &stream{o.journal.Follow(filterOf(q)), o}
}

// stream is a follower of the journal. It holds no delta.
type stream struct {
	*journal.Follower
	operator *Operator
}

// Take is the [inspector.Stream]'s. It leaves out no delta, because a reader goes on after the last one. There are
// at most as many as are asked for, and none is long without its edits.
func (s *stream) Take(most int) (taken []v1.Delta, lost uint64) {
	entries, lost := s.Follower.Take(most)
	t := s.operator.telling()
	for i := range entries {
		taken = append(taken, t.withEdits(deltaOf(&entries[i]), &entries[i]))
	}
	return taken, lost
}

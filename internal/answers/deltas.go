package answers

import (
	"time"

	"github.com/delta-runtime/delta-runtime/internal/inspector"
	"github.com/delta-runtime/delta-runtime/internal/journal"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// ops has the ops by their names.
var ops = map[string]delta.Op{}

func init() {
	for op := delta.Added; op <= delta.OutOfScope; op++ {
		ops[op.String()] = op
	}
}

// Deltas is the [inspector.Subject]'s.
func (o *Operator) Deltas(q inspector.DeltaQuery) v1.DeltaList {
	all := v1.DeltaList{At: time.Now(), Items: []v1.Delta{}}
	want, possible := filterOf(q)
	if possible {
		t := tellingWith(nil)
		found, dropped := o.journal.Deltas(want)
		for i := range found {
			if !t.spend(perItem) {
				break
			}
			all.Items = append(all.Items, o.delta(&found[i], t))
		}
		all.Cut, all.Dropped = cut(len(all.Items), len(found)), dropped
	}
	return all
}

// filterOf reports false if no delta can be wanted, because there is no such op.
func filterOf(q inspector.DeltaQuery) (want journal.Filter, possible bool) {
	want = journal.Filter{Kind: q.Kind, Namespace: q.Namespace, Name: q.Name, Manager: q.Manager, Since: q.Since, Limit: q.Limit}
	if q.Op != "" {
		want.Op, possible = ops[q.Op]
		return want, possible
	}
	return want, true
}

func (o *Operator) delta(e *journal.Entry, t *telling) v1.Delta {
	d := &e.Delta
	shown := v1.Delta{
		ID: e.ID, Seen: d.Seen, Kind: e.Kind, Namespace: d.Key.Namespace, Name: d.Key.Name,
		Op: d.Op.String(), ResourceVersion: d.Version, Manager: e.Manager(), Missed: d.Missed, Relisted: d.Relisted,
	}
	before, _ := d.Old.(delta.Object)
	after, _ := d.New.(delta.Object)
	if d.Op == delta.Updated && before != nil && after != nil {
		shown.Edits, shown.EditsLeftOut = t.edits(states{before, after}, func() *diff.Diff { return diff.OfKind(e.GVK, before, after, o.schemas) })
	}
	return shown
}

// Newest is the [inspector.Subject]'s.
func (o *Operator) Newest() uint64 { return o.journal.Newest() }

// Follow is the [inspector.Subject]'s.
func (o *Operator) Follow(q inspector.DeltaQuery) inspector.Stream {
	want, possible := filterOf(q)
	s := &stream{operator: o, follower: o.journal.Follow(want)}
	if !possible {
		s.Close()
	}
	return s
}

// stream is a follower of the journal. It holds no delta.
type stream struct {
	operator *Operator
	follower *journal.Follower
}

// Ready is the [inspector.Stream]'s.
func (s *stream) Ready() <-chan struct{} { return s.follower.Ready() }

// Take is the [inspector.Stream]'s.
func (s *stream) Take(most int) (taken []v1.Delta, lost uint64) {
	entries, lost := s.follower.Take(most)
	t := tellingWith(nil)
	for i := range entries {
		taken = append(taken, s.operator.delta(&entries[i], t))
	}
	return taken, lost
}

// Close is the [inspector.Stream]'s.
func (s *stream) Close() { s.follower.Close() }

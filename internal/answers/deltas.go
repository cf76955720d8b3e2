package answers

import (
	"slices"
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
		for _, e := range o.journal.Deltas(want) {
			all.Items = append(all.Items, o.delta(&e))
		}
	}
	for _, k := range o.journal.Status().Kinds {
		if q.Kind == "" || q.Kind == k.Name {
			all.Dropped += k.Dropped
		}
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

func (o *Operator) delta(e *journal.Entry) v1.Delta {
	d := &e.Delta
	shown := v1.Delta{
		ID: e.ID, Seen: d.Seen, Kind: e.Kind, Namespace: d.Key.Namespace, Name: d.Key.Name,
		Op: d.Op.String(), ResourceVersion: d.Version, Manager: e.Manager(), Folded: d.Folded, Missed: d.Missed, Relisted: d.Relisted,
	}
	before, _ := d.Old.(delta.Object)
	after, _ := d.New.(delta.Object)
	if d.Op == delta.Updated && before != nil && after != nil {
		shown.Edits, shown.EditsLeftOut = editsOf(diff.OfKind(o.gvk(e.Kind), before, after, o.schemas))
	}
	return shown
}

// Follow is the [inspector.Subject]'s.
func (o *Operator) Follow(q inspector.DeltaQuery) inspector.Stream {
	want, possible := filterOf(q)
	want.Limit = 0
	s := &stream{operator: o, follower: o.journal.Follow(want)}
	if !possible {
		s.follower.Close()
		return s
	}
	s.backlog = o.journal.Deltas(want)
	slices.Reverse(s.backlog)
	return s
}

// stream is what the journal has after a point, and then what comes.
type stream struct {
	operator *Operator
	follower *journal.Follower[journal.Entry]
	backlog  []journal.Entry // the oldest first
	last     uint64          // the ID of the last that was taken
}

// full is a channel that always has a token.
var full = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Ready is the [inspector.Stream]'s.
func (s *stream) Ready() <-chan struct{} {
	if len(s.backlog) > 0 {
		return full
	}
	return s.follower.Ready()
}

// Take is the [inspector.Stream]'s.
func (s *stream) Take(most int) (taken []v1.Delta, lost uint64) {
	for len(taken) < most && len(s.backlog) > 0 {
		taken = append(taken, s.show(&s.backlog[0]))
		s.backlog = s.backlog[1:]
	}
	for len(taken) < most {
		e, missed, ok := s.follower.Take()
		lost += missed
		if !ok {
			break
		}
		if e.ID > s.last { // else the backlog had it
			taken = append(taken, s.show(&e))
		}
	}
	return taken, lost
}

func (s *stream) show(e *journal.Entry) v1.Delta {
	s.last = e.ID
	return s.operator.delta(e)
}

// Close is the [inspector.Stream]'s.
func (s *stream) Close() { s.follower.Close() }

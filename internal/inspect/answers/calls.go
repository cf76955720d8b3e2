package answers

import (
	"cmp"
	"slices"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// Reconciles is the [inspector.Subject]'s.
func (o *Operator) Reconciles(q inspector.ReconcileQuery) v1.ReconcileList {
	all := v1.ReconcileList{At: time.Now()}
	want := journal.CallFilter{Controller: q.Controller, Namespace: q.Namespace, Name: q.Name, Result: journal.ResultOf(q.Result)}
	if !q.Slowest {
		want.Limit = q.Limit
	}
	var calls []journal.Call
	calls, all.Dropped = o.journal.Calls(want)
	if q.Slowest {
		slices.SortStableFunc(calls, func(a, b journal.Call) int { return cmp.Compare(b.Took, a.Took) })
	}
	calls = calls[:min(len(calls), max(0, q.Limit))]
	all.Items, all.Cut = o.telling().callsOf(calls)
	return all
}

// callsOf returns the calls that the answer has room for, and why these are not all.
func (t *telling) callsOf(calls []journal.Call) (shown []v1.Reconcile, why string) {
	for i := range calls {
		if call, ok := t.callOf(&calls[i]); ok {
			shown = append(shown, call)
		}
	}
	return shown, cut(len(shown), len(calls))
}

func (t *telling) callOf(c *journal.Call) (shown v1.Reconcile, ok bool) {
	shown = v1.Reconcile{
		ID: c.ID, Controller: c.Controller, Namespace: c.Request.Namespace, Name: c.Request.Name,
		Began: c.Began, Seconds: c.Took.Seconds(), Result: c.Result.String(), RequeueAfterSeconds: c.RequeueAfter.Seconds(),
		Attempt: c.Changes.Attempt(),
	}
	if c.Err != nil {
		shown.Error = errorText(c.Err)
	}
	if !c.Changes.Complete() {
		shown.Incomplete = c.Changes.Incomplete()
	}
	if !t.fits(&shown) {
		return shown, false
	}
	shown.Changes, shown.ChangesLeftOut = t.changesOf(c.Changes)
	fits := t.share(8)
	for i := range c.Steps {
		step := stepOf(&c.Steps[i])
		if !fits(&step) {
			break
		}
		shown.Steps = append(shown.Steps, step)
	}
	return shown, true
}

func stepOf(s *delta.StepReport) v1.StepOutcome {
	shown := v1.StepOutcome{Name: s.Name, Result: journal.StepResult(s), Seconds: s.Took.Seconds()}
	if !s.Skipped {
		shown.Because = s.Because()
	}
	if s.Err != nil && !s.Skipped {
		shown.Error = errorText(s.Err)
	}
	return shown
}

// changesOf returns the changes that the answer has room for, and how many more there are.
func (t *telling) changesOf(changes delta.Changes) (shown []v1.Change, leftOut int) {
	fits := t.share(8)
	for _, c := range journal.NewFirst(changes) {
		change := t.changeOf(&c)
		if !fits(&change) {
			break
		}
		if c.Op == delta.Updated {
			change.Edits, change.EditsLeftOut = t.edits(states{c.Old, c.New}, c.Diff)
		}
		shown = append(shown, change)
	}
	return shown, changes.Len() - len(shown)
}

func (t *telling) changeOf(c *delta.Change) v1.Change {
	shown := v1.Change{
		Kind: t.of(c.Kind), Namespace: c.Key.Namespace, Name: c.Key.Name, Manager: c.Manager(), Own: c.Own(), Again: journal.Again(c),
		First: c.First, Last: c.Last, Deltas: c.Deltas,
	}
	for cause := delta.Primary; cause <= delta.Restart; cause++ {
		if c.Is(cause) {
			shown.Causes = append(shown.Causes, cause.String())
		}
	}
	if c.Op != 0 {
		shown.Op = c.Op.String()
	}
	return shown
}

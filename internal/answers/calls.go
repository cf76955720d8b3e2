package answers

import (
	"cmp"
	"slices"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/inspector"
	"github.com/delta-runtime/delta-runtime/internal/journal"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// Reconciles is the [inspector.Subject]'s.
func (o *Operator) Reconciles(q inspector.ReconcileQuery) v1.ReconcileList {
	all := v1.ReconcileList{At: time.Now(), Items: []v1.Reconcile{}}
	want := journal.CallFilter{Controller: q.Controller, Namespace: q.Namespace, Name: q.Name}
	if q.Order != inspector.Slowest {
		want.Limit = q.Limit
	}
	var calls []journal.Call
	result, possible := journal.ResultOf(q.Result)
	if want.Result = result; possible || q.Result == "" {
		calls, all.Dropped = o.journal.Calls(want)
	}
	if q.Order == inspector.Slowest {
		slices.SortStableFunc(calls, func(a, b journal.Call) int { return cmp.Compare(b.Took, a.Took) })
	}
	t := o.telling()
	calls = calls[:min(len(calls), max(0, q.Limit))]
	for i := range calls {
		if !t.spend(perItem) {
			break
		}
		all.Items = append(all.Items, t.callOf(&calls[i]))
	}
	all.Cut = cut(len(all.Items), len(calls))
	return all
}

func (t *telling) callOf(c *journal.Call) v1.Reconcile {
	shown := v1.Reconcile{
		ID: c.ID, Controller: c.Controller, Namespace: c.Request.Namespace, Name: c.Request.Name,
		Began: c.Began, Seconds: c.Took.Seconds(), Result: c.Result.String(), RequeueAfterSeconds: c.RequeueAfter.Seconds(),
		Attempt: c.Changes.Attempt(),
	}
	shown.Changes = t.changesOf(c.Changes)
	shown.ChangesLeftOut = c.Changes.Len() - len(shown.Changes)
	if c.Err != nil {
		shown.Error = errorText(c.Err)
	}
	if !c.Changes.Complete() {
		shown.Incomplete = c.Changes.Incomplete()
	}
	for i := range c.Steps {
		step := stepOf(&c.Steps[i])
		if !t.spend(perChange, step.Error, step.Because) {
			break
		}
		shown.Steps = append(shown.Steps, step)
	}
	t.spend(0, shown.Error, shown.Incomplete)
	return shown
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

// changesOf returns the changes that the answer has room for.
func (t *telling) changesOf(changes delta.Changes) []v1.Change {
	all := []v1.Change{}
	for c := range changes.All() {
		if !t.spend(perChange, c.Key.Namespace, c.Key.Name) {
			break
		}
		shown := v1.Change{
			Kind: t.of(c.Kind), Namespace: c.Key.Namespace, Name: c.Key.Name, Manager: c.Manager(), Own: c.Own(),
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
		if c.Op == delta.Updated {
			shown.Edits, shown.EditsLeftOut = t.edits(states{c.Old, c.New}, c.Diff)
		}
		all = append(all, shown)
	}
	return all
}

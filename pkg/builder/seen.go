package builder

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/journal"
	"github.com/delta-runtime/delta-runtime/internal/ledger"
	"github.com/delta-runtime/delta-runtime/internal/observe"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// seenCall is one call, for those who look at the controller. They are shown it when it has ended.
type seenCall[R comparable] struct {
	request R
	told    delta.Changes
	began   time.Time
	result  reconcile.Result
	err     error
	came    journal.Result
}

// returned notes what the reconciler returned. If it is never called, the reconciler has panicked.
func (s *seenCall[R]) returned(how ledger.Outcome, result reconcile.Result, err error) {
	s.result, s.err = result, err
	switch {
	case err != nil:
		s.came = journal.Error
	case how != ledger.Succeeded:
		s.came = journal.Requeue
	default:
		s.came = journal.Success
	}
}

// show shows a call that has ended to all who look.
func (r *recordedReconciler[R]) show(ctx context.Context, seen *seenCall[R]) {
	took := time.Since(seen.began)
	seen.told = delta.From(ctx)
	r.calls.Note(r.ledger.Clerk(), observe.Call{Told: seen.told, Began: seen.began, Came: seen.came})
	r.guard.called(ctx, seen.request, seen.told)
	notes := r.journal.Load()
	if notes == nil && r.causeLog == nil {
		return
	}
	r.logCauses(ctx, seen, took)
	if notes == nil {
		return
	}
	notes.Note(journal.Call{
		Request: keyOf(seen.request), Began: seen.began, Took: took, Result: seen.came, Err: seen.err,
		RequeueAfter: seen.result.RequeueAfter, Changes: seen.told, Steps: delta.Steps(ctx),
	})
}

package builder

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/ledger"
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

// show shows a call that has ended to all who look. The call has come to what it has come to: none of them can
// change that.
func (r *recordedReconciler[R]) show(ctx context.Context, seen *seenCall[R]) {
	took := time.Since(seen.began)
	seen.told = delta.From(ctx)
	look(ctx, func() {
		r.calls.Note(r.ledger.Clerk(), observe.Call{Told: seen.told, Began: seen.began, Came: seen.came})
	})
	look(ctx, func() { r.guard.called(ctx, seen.request, seen.told) })
	look(ctx, func() { r.logCauses(ctx, seen, took) })
	notes := r.journal.Load()
	if notes == nil {
		return
	}
	look(ctx, func() {
		notes.Note(journal.Call{
			Request: keyOf(seen.request), Began: seen.began, Took: took, Result: seen.came, Err: seen.err,
			RequeueAfter: seen.result.RequeueAfter, Changes: seen.told, Steps: delta.Steps(ctx),
		})
	})
}

// look lets somebody look at a call, and logs a panic of theirs: it may come from a type or a log of the user's.
func look(ctx context.Context, at func()) {
	defer func() {
		value := recover()
		if value == nil {
			return
		}
		defer func() { _ = recover() }() // a log that panics can't say so
		logr.FromContextOrDiscard(ctx).Error(fmt.Errorf("panic: %v", value), "A call of the reconciler could not be shown",
			"stack", string(debug.Stack()))
	}()
	at()
}

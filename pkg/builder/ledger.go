package builder

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/ledger"
	"github.com/delta-runtime/delta-runtime/internal/ledger/recording"
	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/internal/schema/schemas"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/diff"
)

// ledgerOptions completes the user's options with what the manager knows.
func ledgerOptions(mgr manager.Manager, of *managed.Runtime, opts delta.LedgerOptions) delta.LedgerOptions {
	if opts.KindOf == nil {
		scheme := mgr.GetScheme()
		opts.KindOf = func(obj delta.Object) (schema.GroupVersionKind, error) { return apiutil.GVKForObject(obj, scheme) }
	}
	if opts.Writes == nil {
		opts.Writes = writesOf(mgr, of)
	}
	if opts.Schemas == nil {
		opts.Schemas = schemasOf(mgr, of)
	}
	return opts
}

// schemasOf returns the schemas of the server's kinds, which a manager's controllers share. Without
// them differences in lists are coarser.
func schemasOf(mgr manager.Manager, of *managed.Runtime) diff.Schemas {
	kinds, err := of.Schemas(func() (diff.Schemas, error) { return schemas.Of(mgr) })
	if err != nil {
		mgr.GetLogger().Error(err, "Differences are made without schemas")
	}
	return kinds
}

// recordedReconciler tells a reconciler why it is called, and the ledger what became of the call.
type recordedReconciler[R comparable] struct {
	to     reconcile.TypedReconciler[R]
	ledger *delta.Ledger[R]
	queue  atomic.Pointer[recording.ControllerQueue[R]] // nil until the controller starts
	plain  atomic.Pointer[plainQueue[R]]                // what queue adds to
	calls  observe.Calls
	about  about

	guard    *guard[R]
	journal  atomic.Pointer[journal.Calls] // nil unless somebody looks
	causeLog *int                          // the level of a line for each call; nil: there is none
}

// Reconcile is for the controller's workers.
func (r *recordedReconciler[R]) Reconcile(ctx context.Context, request R) (reconcile.Result, error) {
	how := ledger.Failed // also for a panic, which goes on to the caller
	again := true
	seen := seenCall[R]{request: request, began: time.Now(), came: journal.Panic}
	if rest := r.guard.rest(request, seen.began, r.ledger.Clerk().Waiting); rest > 0 {
		r.mayAddAgain(request)
		return reconcile.Result{RequeueAfter: rest}, nil
	}
	// Nothing comes between the two that takes time, so that the reconciler is told of what it reads.
	ctx, call := r.ledger.Clerk().Begin(ctx, request)
	defer func() {
		call.End(how)
		r.show(ctx, &seen)
		if again {
			r.mayAddAgain(request)
		}
	}()
	result, err := r.to.Reconcile(ctx, request)
	switch how = outcome(result, err); {
	case how == ledger.Succeeded:
		err = toRetry(call.Err()) // or nobody would retry a step whose error the reconciler has kept
		how = outcome(result, err)
	case isFinal(err) && slices.ContainsFunc(all(call.Err()), func(step error) bool { return !isFinal(step) && tellsOf(err, step) }):
		err = errors.New(err.Error()) // joined, a final error of one step would speak for the others
	}
	seen.returned(how, result, err)
	again = how != ledger.Succeeded && !isFinal(err)
	return result, err
}

// mayAddAgain says that the controller may add the request once more, which stands for no change.
func (r *recordedReconciler[R]) mayAddAgain(request R) {
	if queue := r.queue.Load(); queue != nil {
		queue.MayAddAgain(request)
	}
}

// toRetry returns the errors of steps as one error. The controller retries it if it would retry
// any of them. Without that, one error that ends all retries would speak for all.
func toRetry(err error) error {
	steps := all(err)
	if !slices.ContainsFunc(steps, func(err error) bool { return !isFinal(err) }) {
		return err
	}
	for i, err := range steps {
		if isFinal(err) {
			steps[i] = errors.New(err.Error())
		}
	}
	return errors.Join(steps...)
}

// tellsOf reports whether the error of a step is in err, and the reconciler has not made it final.
func tellsOf(err, step error) bool {
	if !errors.Is(err, step) || reflect.TypeOf(err) == reflect.TypeOf(reconcile.TerminalError(nil)) {
		return false
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return slices.ContainsFunc(joined.Unwrap(), func(err error) bool { return tellsOf(err, step) })
	}
	inner := errors.Unwrap(err)
	return !errors.Is(inner, step) || tellsOf(inner, step)
}

// all returns the errors that errors.Join has joined.
func all(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return slices.Clone(joined.Unwrap())
	}
	return []error{err}
}

// isFinal reports whether nobody retries after the error.
func isFinal(err error) bool { return errors.Is(err, reconcile.TerminalError(nil)) }

// outcome returns what became of a request. A TerminalError is a failure, too: whatever brings
// the request the next time, its reconciler hears of what nobody has dealt with. A result that
// asks for another call may mean that the work waits for it.
func outcome(result reconcile.Result, err error) ledger.Outcome {
	switch {
	case err != nil:
		return ledger.Failed
	case result.RequeueAfter > 0, result.Requeue: //nolint:staticcheck // as long as there is Requeue, it asks for a timer
		return ledger.Unfinished
	default:
		return ledger.Succeeded
	}
}

// queueWith returns a constructor that puts the ledger before the queues of newQueue.
func (r *recordedReconciler[R]) queueWith(newQueue makeQueue[R]) makeQueue[R] {
	return func(name string, limiter workqueue.TypedRateLimiter[R]) workqueue.TypedRateLimitingInterface[R] {
		plain := newQueue(name, limiter)
		r.plain.Store(&plain)
		queue := recording.NewControllerQueue(plain, r.ledger)
		queue.OnShutDown = r.observe()
		r.queue.Store(queue)
		return queue
	}
}

// makeQueue makes a controller's queue.
type makeQueue[R comparable] = func(string, workqueue.TypedRateLimiter[R]) workqueue.TypedRateLimitingInterface[R]

// recordedController is a controller with a ledger. The manager runs the controller in it.
type recordedController[R comparable] struct {
	controller.TypedController[R]
	ledger  *delta.Ledger[R]
	shared  *managed.Runtime
	foreign sync.Once // for its first source that is not ours
}

// NeedLeaderElection returns the controller's answer.
func (c *recordedController[R]) NeedLeaderElection() bool {
	asked, ok := c.TypedController.(manager.LeaderElectionRunnable)
	return !ok || asked.NeedLeaderElection()
}

// LedgerOf returns the ledger of a controller that our builder has built, so that you can ask
// for its Status. It returns nil for a controller without a ledger.
func LedgerOf[R comparable](c controller.TypedController[R]) *delta.Ledger[R] {
	if recorded, ok := c.(*recordedController[R]); ok {
		return recorded.ledger
	}
	return nil
}

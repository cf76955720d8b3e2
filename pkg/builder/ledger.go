package builder

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/source"
)

// ledgerOptions completes what the user set with what the manager knows.
func ledgerOptions(mgr manager.Manager, opts delta.LedgerOptions) delta.LedgerOptions {
	if opts.KindOf == nil {
		scheme := mgr.GetScheme()
		opts.KindOf = func(obj delta.Object) (schema.GroupVersionKind, error) { return apiutil.GVKForObject(obj, scheme) }
	}
	if opts.Writes == nil {
		if client, ok := mgr.GetClient().(interface{ OwnWrites() delta.OwnWrites }); ok {
			opts.Writes = client.OwnWrites()
		}
	}
	if opts.Schemas == nil {
		opts.Schemas = schemasOf(mgr)
	}
	return opts
}

// schemasOf returns the schemas of the kinds of the manager's server. Nothing is asked for
// before somebody wants a difference; without schemas those in lists are coarser.
func schemasOf(mgr manager.Manager) delta.Schemas {
	config, client := mgr.GetConfig(), mgr.GetHTTPClient()
	if config == nil || client == nil { // a manager for tests
		return nil
	}
	schemas, err := source.NewSchemas(config, client, mgr.GetScheme())
	if err != nil {
		mgr.GetLogger().Error(err, "Differences are made without schemas")
		return nil
	}
	return schemas
}

// recorded is src, with a ledger if there is one.
func recorded[R comparable](src ctrlsource.TypedSource[R], ledger *delta.Ledger[R]) ctrlsource.TypedSource[R] {
	if ledger == nil || src == nil {
		return src
	}
	return source.Recorded(src, ledger)
}

// recordedReconciler tells a reconciler why it is called, and the ledger what came of
// it.
type recordedReconciler[R comparable] struct {
	to     reconcile.TypedReconciler[R]
	ledger *delta.Ledger[R]
}

// Reconcile is called by the controller's workers.
func (r *recordedReconciler[R]) Reconcile(ctx context.Context, request R) (reconcile.Result, error) {
	how := delta.Failed // also for a panic, which goes on to whoever called
	changes := r.ledger.Take(request)
	defer func() { r.ledger.Settle(request, how) }()
	result, err := r.to.Reconcile(delta.NewContext(ctx, changes), request)
	how = outcome(result, err)
	return result, err
}

// outcome is what became of a request. An error that is not to be tried again is a
// failure, too: whatever brings the request the next time, it is told what has not been
// dealt with.
func outcome(result reconcile.Result, err error) delta.Outcome {
	switch {
	case err != nil:
		return delta.Failed
	case result.RequeueAfter > 0, result.Requeue: //nolint:staticcheck // as long as there is Requeue, it asks for a timer
		return delta.SucceededWithTimer
	default:
		return delta.Succeeded
	}
}

// recordedController is a controller with a ledger. The manager runs the controller
// within.
type recordedController[R comparable] struct {
	controller.TypedController[R]
	ledger *delta.Ledger[R]
}

// Watch adds a source. The ledger is told of it as of those that were built in.
func (c *recordedController[R]) Watch(src ctrlsource.TypedSource[R]) error {
	return c.TypedController.Watch(recorded(src, c.ledger))
}

// NeedLeaderElection is the controller's answer.
func (c *recordedController[R]) NeedLeaderElection() bool {
	asked, ok := c.TypedController.(manager.LeaderElectionRunnable)
	return !ok || asked.NeedLeaderElection()
}

// LedgerOf returns the ledger of a controller that our builder has built, to ask for its
// Status. It is nil for a controller without.
func LedgerOf[R comparable](c controller.TypedController[R]) *delta.Ledger[R] {
	if recorded, ok := c.(*recordedController[R]); ok {
		return recorded.ledger
	}
	return nil
}

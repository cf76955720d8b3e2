package builder

import (
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// LedgerOptionsFor returns the options of a controller's ledger.
func LedgerOptionsFor(mgr manager.Manager, opts delta.LedgerOptions) delta.LedgerOptions {
	return ledgerOptions(mgr, (&plan[reconcile.Request]{TypedBuilder: ControllerManagedBy(mgr)}).runtime(), opts)
}

// Record returns what a controller with a ledger is made of: a reconciler that is told why it
// is called, and its queue, which adds to another one.
func Record[R comparable](
	to reconcile.TypedReconciler[R], ledger *delta.Ledger[R], queue workqueue.TypedRateLimitingInterface[R],
) (reconcile.TypedReconciler[R], workqueue.TypedRateLimitingInterface[R]) {
	recorded := &recordedReconciler[R]{to: to, ledger: ledger, about: about{runtime: managed.New()}}
	made := recorded.queueWith(func(string, workqueue.TypedRateLimiter[R]) workqueue.TypedRateLimitingInterface[R] { return queue })
	return recorded, made("", nil)
}

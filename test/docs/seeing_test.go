package docs

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/inspect"
	drmanager "github.com/delta-runtime/delta-runtime/pkg/manager"
)

// docs/guides/seeing.md quotes the code below, so it has to compile.

var _ = func(mgr ctrl.Manager) error {
	if err := drmanager.AddInspector(mgr, inspect.Options{}); err != nil {
		return fmt.Errorf("add the inspector: %w", err)
	}
	return nil
}

var _ = drmanager.WithCache(cache.Options{StaleAfter: 2 * time.Minute})

var _ = func(mgr ctrl.Manager, r reconcile.Reconciler) error {
	return builder.ControllerManagedBy(mgr).
		For(&appsv1.Deployment{}).
		WithCauseLog(0).
		WithLedger(delta.LedgerOptions{DeferHotLoops: true}).
		Complete(r)
}

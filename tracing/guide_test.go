package tracing_test

import (
	appsv1 "k8s.io/api/apps/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/tracing"
)

// docs/guides/seeing.md quotes the code below, so it has to compile.

var _ = func(mgr ctrl.Manager, r reconcile.Reconciler) error {
	return builder.ControllerManagedBy(mgr).
		For(&appsv1.Deployment{}).
		Named("settings").
		Complete(tracing.Reconciler(r, tracing.Options{Controller: "settings"}))
}

package docs

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/cache"
	"github.com/delta-runtime/delta-runtime/pkg/queue/ctrlqueue"
)

// What follows is never called: that it compiles is what the README promises, and
// TestGoInDocumentsIsCompiled finds the README's lines in it.

type reader struct{ reconcile.Reconciler }

func newManager(scheme *runtime.Scheme) (ctrl.Manager, error) {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:   scheme,
		NewCache: cache.New,
	})
	return mgr, err
}

func (r *reader) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&appsv1.Deployment{}).
		WithOptions(controller.Options{NewQueue: ctrlqueue.NewQueue[ctrl.Request]}).
		Complete(r)
}

var _, _ = newManager, (*reader).SetupWithManager

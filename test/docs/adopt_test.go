package docs

import (
	"context"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/queue/ctrlqueue"
	"github.com/delta-runtime/delta-runtime/pkg/toolscache"
)

// What follows is never called: that it compiles is what the README promises, and
// TestReadmesGoIsCompiled finds the README's lines in it.

type adopter struct {
	reconcile.Reconciler
	log logr.Logger
}

type explained interface {
	Status() informer.InformerStatus
}

func newManager(scheme *runtime.Scheme) (ctrl.Manager, error) {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme: scheme,
		Cache:  cache.Options{NewInformer: toolscache.NewSharedIndexInformer},
	})
	return mgr, err
}

func (r *adopter) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&appsv1.Deployment{}).
		WithOptions(controller.Options{NewQueue: ctrlqueue.NewQueue[ctrl.Request]}).
		Complete(r)
}

func (r *adopter) ask(ctx context.Context, mgr ctrl.Manager) {
	log := r.log
	found, err := mgr.GetCache().GetInformer(ctx, &appsv1.Deployment{}, cache.BlockUntilSynced(false))
	if ours, ok := found.(explained); err == nil && ok {
		log.Info(ours.Status().Reflector.Why())
	}
}

var _, _, _ = newManager, (*adopter).SetupWithManager, (*adopter).ask

package docs

import (
	"context"
	"os"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/builder"
	drcache "github.com/delta-runtime/delta-runtime/pkg/cache"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	drmanager "github.com/delta-runtime/delta-runtime/pkg/manager"
	drsource "github.com/delta-runtime/delta-runtime/pkg/source"
	"github.com/delta-runtime/delta-runtime/pkg/toolscache"
)

// What follows is never called: that it compiles is what docs/adopt.md promises, and
// TestGoInDocumentsIsCompiled finds the lines shown there in it.

var setupLog logr.Logger

type adopter struct {
	reconcile.Reconciler
	log logr.Logger
}

type explained interface {
	Status() informer.InformerStatus
}

func onlyInformers(scheme *runtime.Scheme) (ctrl.Manager, error) {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme: scheme,
		Cache:  cache.Options{NewInformer: toolscache.NewSharedIndexInformer},
	})
	return mgr, err
}

func (r *adopter) ask(ctx context.Context, mgr ctrl.Manager) {
	log := r.log
	found, err := mgr.GetCache().GetInformer(ctx, &appsv1.Deployment{}, cache.BlockUntilSynced(false))
	if ours, ok := found.(explained); err == nil && ok {
		log.Info(ours.Status().Reflector.Why())
	}
}

func ourCache(scheme *runtime.Scheme) (ctrl.Manager, error) {
	options := ctrl.Options{
		Scheme: scheme,
	}
	if err := drmanager.Configure(&options); err != nil {
		setupLog.Error(err, "Failed to configure manager")
		os.Exit(1)
	}
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), options)
	return mgr, err
}

func moreOfOurCache(options ctrl.Options) error {
	if err := drmanager.Configure(&options, drmanager.WithCache(drcache.Options{
		ByObject: map[client.Object]drcache.KindOptions{
			&corev1.Secret{}: {Missing: drcache.WaitForIt},
		},
	})); err != nil {
		return err
	}
	return nil
}

func healthz(mgr ctrl.Manager) error {
	if ours, ok := mgr.GetCache().(*drcache.Cache); ok {
		if err := mgr.AddReadyzCheck("kinds", ours.Healthz); err != nil {
			return err
		}
	}
	return nil
}

func (r *adopter) queue(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&appsv1.Deployment{}).
		WithOptions(controller.Options{NewQueue: drmanager.NewQueue}).
		Complete(r)
}

func (r *adopter) sources(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&appsv1.Deployment{}).
		WatchesRawSource(drsource.NewKind(mgr.GetCache(), &corev1.Pod{}, handler.TypedEnqueueRequestsFromMapFunc(r.podToDeployment))).
		WatchesRawSource(drsource.NewDeltas(mgr.GetCache(), &corev1.Secret{}, r.secretChanged, informer.SubscribeOptions{})).
		Complete(r)
}

func (r *adopter) builder(mgr ctrl.Manager) error {
	return builder.ControllerManagedBy(mgr).
		For(&appsv1.Deployment{}).
		Owns(&corev1.Pod{}).
		WithResync(drcache.ResyncPolicy{Period: 6 * time.Hour, Spread: drcache.OverPeriod, OnlyIfNotReconciledFor: time.Hour}).
		Complete(r)
}

func (r *adopter) because(ctx context.Context) {
	log := r.log
	log.Info("Reconciling", "because", delta.From(ctx))
}

func (r *adopter) podToDeployment(context.Context, *corev1.Pod) []reconcile.Request { return nil }

func (r *adopter) secretChanged(_ context.Context, d delta.Delta[client.Object], queue workqueue.TypedRateLimitingInterface[ctrl.Request]) {
	if d.Initial || d.Op == delta.Sync {
		return // nothing happened
	}
	queue.Add(ctrl.Request{NamespacedName: client.ObjectKeyFromObject(d.Object())})
}

var _, _, _, _, _, _, _ = onlyInformers, (*adopter).ask, ourCache, moreOfOurCache, healthz, (*adopter).queue, (*adopter).sources
var _, _ = (*adopter).builder, (*adopter).because

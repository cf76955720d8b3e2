package docs

import (
	"context"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/builder"
	drcache "github.com/delta-runtime/delta-runtime/pkg/cache"
	drmanager "github.com/delta-runtime/delta-runtime/pkg/manager"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
	"github.com/delta-runtime/delta-runtime/pkg/toolscache"
)

// The code below is never called. docs/adopt.md quotes it, so it has to compile.

type adopter struct {
	reconcile.Reconciler
	log logr.Logger
}

func (r *adopter) ask(ctx context.Context, mgr ctrl.Manager) {
	log := r.log
	found, err := mgr.GetCache().GetInformer(ctx, &appsv1.Deployment{}, cache.BlockUntilSynced(false))
	if ours, ok := found.(toolscache.SharedInformer); err == nil && ok {
		log.Info(ours.Status().Reflector.Why)
	}
}

func notForOld(options ctrl.Options) error {
	if err := drmanager.Configure(&options, drmanager.WithCache(drcache.Options{StaleAfter: 2 * time.Minute})); err != nil {
		return err
	}
	return nil
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

func (r *adopter) builder(mgr ctrl.Manager) error {
	return builder.ControllerManagedBy(mgr).
		For(&appsv1.Deployment{}).
		Owns(&corev1.Pod{}).
		WithResync(resync.Policy{Period: 6 * time.Hour, Spread: resync.OverPeriod, OnlyIfNotReconciledFor: time.Hour}).
		Complete(r)
}

var _, _, _, _, _ = (*adopter).ask, notForOld, moreOfOurCache, healthz, (*adopter).builder

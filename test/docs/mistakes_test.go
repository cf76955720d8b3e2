package docs

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	ctrlpredicate "sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	drmanager "github.com/delta-runtime/delta-runtime/pkg/manager"
	"github.com/delta-runtime/delta-runtime/pkg/predicate"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// docs/mistakes.md quotes the wrong code and the right code below. Nothing calls it.

type mistaken struct{ client.Client }

func (r *mistaken) work(context.Context, ctrl.Request) error { return nil }

func (r *mistaken) cleanUp(context.Context, delta.Key) error { return nil }

func (r *mistaken) scale(context.Context, int32) error { return nil }

func (r *mistaken) usersOf(context.Context, client.Object) []reconcile.Request { return nil }

func (r *mistaken) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{}, r.work(ctx, req)
}

func (r *mistaken) timerAsResync(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	return ctrl.Result{RequeueAfter: 10 * time.Minute}, r.work(ctx, req)
}

func (r *mistaken) policyAsResync(mgr ctrl.Manager) error {
	return builder.ControllerManagedBy(mgr).
		For(&appsv1.Deployment{}).
		WithResync(resync.Policy{Period: 10 * time.Minute, Spread: resync.OverPeriod}).
		Complete(r)
}

func (r *mistaken) poll(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.work(ctx, req); err != nil {
		return ctrl.Result{}, err
	}
	delta.Settle(ctx) // the work is done; the timer only looks again
	return ctrl.Result{RequeueAfter: 10 * time.Minute}, nil
}

func (r *mistaken) misspelt(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if !delta.From(ctx).Touches("spec.replica") { // never skips
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.work(ctx, req)
}

var replicas = delta.MustPath[*appsv1.Deployment]("spec.replicas") // panics when the program starts, if it is misspelt

func (r *mistaken) spelt(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if !delta.From(ctx).Touches(replicas) {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.work(ctx, req)
}

func (r *mistaken) generations(mgr ctrl.Manager) error {
	return builder.ControllerManagedBy(mgr).
		For(&appsv1.Deployment{}).
		Owns(&corev1.ConfigMap{}).
		WithEventFilter(ctrlpredicate.GenerationChangedPredicate{}).
		Complete(r)
}

func (r *mistaken) contents(mgr ctrl.Manager) error {
	return builder.ControllerManagedBy(mgr).
		For(&appsv1.Deployment{}).
		Owns(&corev1.ConfigMap{}).
		WithEventFilter(predicate.NotStatusOnly()).
		Complete(r)
}

func (r *mistaken) byOld(ctx context.Context) error {
	for change := range delta.From(ctx).Of(&appsv1.Deployment{}).All() {
		if old, ok := change.Old.(*appsv1.Deployment); ok {
			return r.scale(ctx, *old.Spec.Replicas) // a state that is gone
		}
	}
	return nil
}

func (r *mistaken) byNow(ctx context.Context, req ctrl.Request) error {
	var now appsv1.Deployment
	if err := r.Get(ctx, req.NamespacedName, &now); err != nil {
		return client.IgnoreNotFound(err)
	}
	return r.scale(ctx, *now.Spec.Replicas)
}

func labelInPlace(_ context.Context, obj client.Object) []reconcile.Request {
	obj.SetLabels(map[string]string{"seen": "true"}) // the cache's own object, and all that share its labels
	return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(obj)}}
}

func labelACopy(_ context.Context, obj client.Object) []reconcile.Request {
	mine := obj.DeepCopyObject().(client.Object)
	mine.SetLabels(map[string]string{"seen": "true"})
	return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(mine)}}
}

func (r *mistaken) skipByLooking(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	for change := range delta.From(ctx).Of(&corev1.Secret{}).All() {
		if change.Diff().Touches("data") {
			return ctrl.Result{}, r.work(ctx, req)
		}
	}
	return ctrl.Result{}, nil // although some changes may be missing
}

func (r *mistaken) skipByAsking(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if delta.From(ctx).Of(&corev1.Secret{}).Touches("data") {
		return ctrl.Result{}, r.work(ctx, req)
	}
	return ctrl.Result{}, nil
}

func (r *mistaken) cleanUpByEvent(ctx context.Context) error {
	for change := range delta.From(ctx).All() {
		if change.Op == delta.Deleted {
			return r.cleanUp(ctx, change.Key) // nobody tells of what went while this process was down
		}
	}
	return nil
}

func (r *mistaken) cleanUpByState(ctx context.Context, req ctrl.Request) error {
	var d appsv1.Deployment
	if err := r.Get(ctx, req.NamespacedName, &d); err != nil {
		return client.IgnoreNotFound(err)
	}
	if !d.DeletionTimestamp.IsZero() { // a finalizer of ours keeps the object until then
		return r.cleanUp(ctx, delta.Key{Namespace: d.Namespace, Name: d.Name})
	}
	return nil
}

func (r *mistaken) swallowed(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.work(ctx, req); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "Failed to work")
	}
	return ctrl.Result{}, nil // the changes count as dealt with
}

func (r *mistaken) kept(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if err := r.work(ctx, req); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "Failed to work")
		delta.Keep(ctx) // whatever calls next is told the same again
	}
	return ctrl.Result{}, nil
}

func (r *mistaken) unwatched(mgr ctrl.Manager) error {
	return builder.ControllerManagedBy(mgr).
		For(&appsv1.Deployment{}).
		Complete(r) // and r asks delta.From(ctx).Of(&corev1.Secret{})
}

func (r *mistaken) watched(mgr ctrl.Manager) error {
	return builder.ControllerManagedBy(mgr).
		For(&appsv1.Deployment{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.usersOf)).
		Complete(r)
}

func (r *mistaken) forAlone(mgr ctrl.Manager) error {
	return builder.ControllerManagedBy(mgr).
		For(&appsv1.Deployment{}).
		Owns(&corev1.Service{}).
		WithResync(resync.Policy{Period: time.Hour}). // of Deployments alone
		Complete(r)
}

func (r *mistaken) ownedAsWell(mgr ctrl.Manager) error {
	return builder.ControllerManagedBy(mgr).
		For(&appsv1.Deployment{}).
		Owns(&corev1.Service{}, builder.WithResyncPolicy(resync.Policy{Period: time.Hour})).
		WithResync(resync.Policy{Period: time.Hour}).
		Complete(r)
}

func (r *mistaken) stepByStep(mgr ctrl.Manager) error {
	notOurs := builder.WithPredicates(predicate.NotOwnWrite(drmanager.OwnWrites(mgr.GetClient())))
	return builder.ControllerManagedBy(mgr).
		For(&appsv1.Deployment{}, notOurs). // and r waits for the event of its own write
		Complete(r)
}

func (r *mistaken) effectsOnly(mgr ctrl.Manager) error {
	notOurs := builder.WithPredicates(predicate.NotOwnWrite(drmanager.OwnWrites(mgr.GetClient())))
	return builder.ControllerManagedBy(mgr).
		For(&appsv1.Deployment{}).
		Owns(&corev1.ConfigMap{}, notOurs).
		Complete(r)
}

var _ = []any{
	(*mistaken).timerAsResync, (*mistaken).policyAsResync, (*mistaken).poll, (*mistaken).misspelt, (*mistaken).spelt,
	(*mistaken).generations, (*mistaken).contents, (*mistaken).byOld, (*mistaken).byNow, labelInPlace, labelACopy,
	(*mistaken).skipByLooking, (*mistaken).skipByAsking, (*mistaken).cleanUpByEvent, (*mistaken).cleanUpByState,
	(*mistaken).swallowed, (*mistaken).kept, (*mistaken).unwatched, (*mistaken).watched,
	(*mistaken).forAlone, (*mistaken).ownedAsWell, (*mistaken).stepByStep, (*mistaken).effectsOnly,
}

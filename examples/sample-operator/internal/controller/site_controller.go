package controller

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	drmanager "github.com/delta-runtime/delta-runtime/pkg/manager"
	"github.com/delta-runtime/delta-runtime/pkg/predicate"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// FieldManager is the name under which the operator writes.
const FieldManager = "sample-operator"

// A Site that nothing happens to is looked at once in lookAgain, each at a moment of its
// own, unless it has been reconciled for another reason since lookedAt.
const (
	lookAgain = 6 * time.Hour
	lookedAt  = time.Hour
)

// enough is how long one reconcile may take: a dozen requests, and the waiting of reads
// for the cache to show what was written.
const enough = time.Minute

// SiteReconciler keeps for each Site what its spec asks for.
type SiteReconciler struct {
	client.Client
	// Live reads from the API server, for the few decisions that must not be made on a
	// state of a moment ago.
	Live client.Reader
	// Events is told what was done.
	Events record.EventRecorder
	// Namespace is the operator's own, where hostnames are claimed.
	Namespace string
}

// The rights in the whole cluster. What is only needed in the operator's namespace is a
// Role. Children are created and changed by server-side apply, so by patch; nothing here
// deletes them, the garbage collector does.
//
// +kubebuilder:rbac:groups=web.example.com,resources=sites,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=web.example.com,resources=sites/status,verbs=patch
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=services;configmaps,verbs=list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=list;watch
// +kubebuilder:rbac:groups="",resources=events,verbs=create;patch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=delete,namespace=system

// Reconcile does what the changes that led to this call ask for, and everything if they
// are not all known.
func (r *SiteReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	start, changes := time.Now(), delta.From(ctx)
	did, err := r.reconcile(ctx, request.NamespacedName, changes)
	tellLog(ctx, changes, did, time.Since(start))
	return ctrl.Result{}, err
}

func (r *SiteReconciler) reconcile(ctx context.Context, key types.NamespacedName, changes delta.Changes) (done, error) {
	var site webv1alpha1.Site
	switch err := r.Get(ctx, key, &site); {
	case apierrors.IsNotFound(err):
		return done{steps: "claims"}, r.forget(ctx, key)
	case err != nil:
		return done{}, fmt.Errorf("read Site %s: %w", key, err)
	case !site.DeletionTimestamp.IsZero():
		return done{steps: "finalizer"}, r.finalize(ctx, &site)
	}
	w := &work{SiteReconciler: r, site: &site, changes: changes}
	err := w.do(ctx)
	err = errors.Join(err, w.report(ctx, err))
	return done{steps: strings.Join(append(namesOf(delta.Steps(ctx)), "status"), ","), wrote: w.wrote}, err
}

// SetupWithManager has the manager run the reconciler.
func (r *SiteReconciler) SetupWithManager(ctx context.Context, mgr ctrl.Manager) error {
	if err := r.index(ctx, mgr.GetFieldIndexer()); err != nil {
		return err
	}
	// Our own writes of a Site are its finalizer and its status. Nothing follows from
	// either that the same call does not do, so their events would be calls for nothing,
	// and might go on for ever. NotStatusOnly would hold back too much: that somebody else
	// has changed a status is to be put right. It works because each of these writes says
	// over which version it is made.
	notOurs := builder.WithPredicates(predicate.NotOwnWrite(drmanager.OwnWrites(r.Client)))
	// Not for children: Deployments are written without a version, and the event that one
	// is there is what its status is read at. No step depends on a child's status, so the
	// Site's status is all that is worked out then. Of Services and ConfigMaps
	// no status is read.
	content := builder.WithPredicates(predicate.NotStatusOnly())
	secretData := builder.WithPredicates(predicate.ChangedAt("data"))
	return builder.ControllerManagedBy(mgr).
		For(&webv1alpha1.Site{}, notOurs).
		Owns(&appsv1.Deployment{}).
		Owns(&corev1.Service{}, content).
		Owns(&corev1.ConfigMap{}, content).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.usersOfSecret), secretData).
		Watches(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(r.concernedByClaim)).
		Watches(&appsv1.Deployment{}, handler.EnqueueRequestsFromMapFunc(r.namesake("")), content).
		Watches(&corev1.Service{}, handler.EnqueueRequestsFromMapFunc(r.namesake("")), content).
		Watches(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(r.namesake(filesSuffix)), content).
		WithResync(resync.Policy{Period: lookAgain, Spread: resync.OverPeriod, Jitter: 0.1, OnlyIfNotReconciledFor: lookedAt}).
		WithOptions(controller.Options{MaxConcurrentReconciles: 4, ReconciliationTimeout: enough}).
		Complete(r)
}

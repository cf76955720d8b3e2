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

// SiteReconciler keeps the objects that the spec of each Site asks for.
type SiteReconciler struct {
	client.Client
	Live      client.Reader        // reads from the API server, for decisions that must not use an old state
	Events    record.EventRecorder // of what was done
	Namespace string               // the operator's own, which has the claims of hostnames
}

// These are rights in the whole cluster, except the last one: it is a Role in the operator's
// namespace. Server-side apply creates and changes children, and that is a patch. The garbage
// collector deletes them, so this operator needs no right to.
//
// +kubebuilder:rbac:groups=web.example.com,resources=sites,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=web.example.com,resources=sites/status,verbs=patch
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=services;configmaps,verbs=list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=list;watch
// +kubebuilder:rbac:groups="",resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=delete,namespace=system

// Reconcile does the work that the changes ask for. If not all changes are known, it does
// everything.
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
	// Our own writes of a Site are its finalizer and its status. The call that writes them does
	// everything that follows from them. So their events would cause useless calls, maybe for
	// ever. NotStatusOnly would hold back too much: if somebody else changes a status, the
	// controller has to correct it. NotOwnWrite works because each of our writes names the
	// version that it was made from.
	notOurs := builder.WithPredicates(predicate.NotOwnWrite(drmanager.OwnWrites(r.Client)))
	// It is not used for children. Deployments are written without a version, and their status
	// is read when their events come. No step depends on a child's status, so such a call only
	// works out the Site's status. The controller reads no status of Services and ConfigMaps.
	content := builder.WithPredicates(predicate.NotStatusOnly())
	secretData := builder.WithPredicates(predicate.ChangedAt("data"))
	// Each Site is reconciled once in six hours even if nothing happens to it, and each at another
	// moment. A Site that was reconciled within the last hour is left out.
	again := resync.Policy{Period: 6 * time.Hour, Spread: resync.OverPeriod, Jitter: 0.1, OnlyIfNotReconciledFor: time.Hour}
	return builder.ControllerManagedBy(mgr).
		For(&webv1alpha1.Site{}, notOurs).
		Owns(&appsv1.Deployment{}).
		Owns(&corev1.Service{}, content).
		Owns(&corev1.ConfigMap{}, content).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.usersOfSecret), secretData).
		Watches(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(r.concernedByClaim)).
		Watches(&appsv1.Deployment{}, handler.EnqueueRequestsFromMapFunc(r.sameName("")), content).
		Watches(&corev1.Service{}, handler.EnqueueRequestsFromMapFunc(r.sameName("")), content).
		Watches(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(r.sameName(filesSuffix)), content).
		WithResync(again).
		WithOptions(controller.Options{MaxConcurrentReconciles: 4, ReconciliationTimeout: time.Minute}).
		Complete(r)
}

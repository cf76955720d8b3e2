package docs

import (
	"context"
	"errors"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// README.md begins with the code below.

type webReconciler struct{}

func (r *webReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	changes := delta.From(ctx) // all that led to this call, since the last call that succeeded
	for change := range changes.All() {
		fmt.Println(change, "-", change.Diff())
	}
	if !changes.Touches("spec.replicas") { // false only if a change there is ruled out
		return ctrl.Result{}, r.report(ctx, req)
	}
	return ctrl.Result{}, errors.Join(r.scale(ctx, req), r.report(ctx, req))
}

func (r *webReconciler) scale(context.Context, ctrl.Request) error { return nil }

func (r *webReconciler) report(context.Context, ctrl.Request) error { return nil }

// web is a Deployment that somebody has just scaled.
func web(replicas int32, generation int64) *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "web", Generation: generation}, Spec: appsv1.DeploymentSpec{Replicas: &replicas}}
	d.ManagedFields = []metav1.ManagedFieldsEntry{{
		Manager: "kubectl", Operation: metav1.ManagedFieldsOperationUpdate, Time: &metav1.Time{Time: time.Unix(generation, 0)},
	}}
	return d
}

func Example_front() {
	ctx := delta.NewContext(context.Background(), delta.NewChanges(delta.Change{
		Cause: delta.Owned, Kind: appsv1.SchemeGroupVersion.WithKind("Deployment"), Key: delta.Key{Namespace: "demo", Name: "web"},
		Op: delta.Updated, Old: web(3, 1), New: web(5, 2),
	}))
	_, err := (&webReconciler{}).Reconcile(ctx, ctrl.Request{})
	fmt.Println(err)
	// Output:
	// Owned Deployment demo/web Updated by kubectl - spec.replicas: 3 → 5, metadata.generation: 1 → 2
	// <nil>
}

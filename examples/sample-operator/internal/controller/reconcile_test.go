package controller

import (
	"context"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	webv1alpha1 "github.com/delta-runtime/delta-runtime/examples/sample-operator/api/v1alpha1"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// TestReconcileWithChangesThatAreMadeUp calls the reconciler without a manager, over
// controller-runtime's fake client, and looks at what it applies.
func TestReconcileWithChangesThatAreMadeUp(t *testing.T) {
	status := delta.NewChanges(ownedChanged(&appsv1.Deployment{}, &appsv1.Deployment{Status: appsv1.DeploymentStatus{ReadyReplicas: 1}}))
	all := []string{"shop-files", "shop", "shop"}
	for name, c := range map[string]struct {
		ctx  context.Context
		want []string
	}{
		"nothing is known, as after a restart": {t.Context(), all},
		"a status alone":                       {delta.NewContext(t.Context(), status), nil},
		"a status, and something unknown":      {delta.NewContext(t.Context(), status.Assume(delta.Circumstances{Lacking: "a watch broke"})), all},
		// The second attempt tells again what failed, and that was only a status.
		"a status, at the second attempt": {delta.NewContext(t.Context(), status.Assume(delta.Circumstances{Attempt: 2})), nil},
		"files": {
			delta.NewContext(t.Context(), delta.NewChanges(siteChanged(func(s *webv1alpha1.Site) { s.Spec.Files["a"] = "c" }))),
			[]string{"shop-files", "shop"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var applied []string
			site := &webv1alpha1.Site{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "shop", UID: "u", Generation: 3}}
			r := newFakeReconciler(t, site, func(name string) { applied = append(applied, name) })
			if _, err := r.Reconcile(c.ctx, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(site)}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(applied, c.want) {
				t.Errorf("applied %q, want %q", applied, c.want)
			}
			var after webv1alpha1.Site
			if err := r.Get(t.Context(), client.ObjectKeyFromObject(site), &after); err != nil || after.Status.ObservedGeneration != 3 {
				t.Errorf("the status is %+v (error %v)", after.Status, err)
			}
		})
	}
}

// newFakeReconciler returns a reconciler of one Site, over controller-runtime's fake client.
// It notes what is applied, and does not apply it.
func newFakeReconciler(t *testing.T, site *webv1alpha1.Site, applied func(name string)) *SiteReconciler {
	t.Helper()
	r := &SiteReconciler{Namespace: "ops", Events: record.NewFakeRecorder(10)}
	r.Client = fake.NewClientBuilder().WithScheme(newScheme(t)).
		WithObjects(site).WithStatusSubresource(site).
		WithIndex(&corev1.ConfigMap{}, byHolder, r.holderOf).
		WithInterceptorFuncs(interceptor.Funcs{Apply: func(_ context.Context, _ client.WithWatch, obj runtime.ApplyConfiguration, _ ...client.ApplyOption) error {
			applied(*obj.(interface{ GetName() *string }).GetName())
			return nil
		}}).Build()
	r.Live = r.Client
	return r
}

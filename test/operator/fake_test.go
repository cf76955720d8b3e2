package operator

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// TestReconcilersAreUnitTestedAsEver calls a reconciler with the fake client. The reconciler
// only knows its reader's interface, so it is the same reconciler that runs over our cache.
func TestReconcilersAreUnitTestedAsEver(t *testing.T) {
	key := client.ObjectKey{Namespace: "somewhere", Name: "a"}
	api := fake.NewClientBuilder().WithScheme(newScheme()).WithObjects(widgets.with(key, "1")).Build()
	r := newReconciler(widgets, api)
	for _, write := range []func(){func() { change(t, api, widgets.with(key, "2")) }, func() { remove(t, api, widgets, key) }} {
		write()
		if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: key}); err != nil {
			t.Fatal(err)
		}
		if got, want := r.saw(key.Namespace), worldOf(t, api, &WidgetList{}); !got.equal(want) {
			t.Errorf("the reconciler saw %v, want %v", got, want)
		}
	}
}

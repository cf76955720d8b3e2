package operator

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	drmanager "github.com/delta-runtime/delta-runtime/pkg/manager"
	drpredicate "github.com/delta-runtime/delta-runtime/pkg/predicate"
)

// TestOwnWritesCallNobody has a reconciler that writes its object in every call. Its own
// writes must not call it, because that would go on for ever. Somebody else writes the
// object, too, and the reconciler has to see all those writes.
func TestOwnWritesCallNobody(t *testing.T) {
	const writes = 50
	config := administrator(t)
	api := directly(t, config)
	namespace := newNamespace(t, api)
	options := managerOptions()
	options.NewClient = drmanager.NewClient
	m := newManager(t, config, options)
	c := m.GetClient()

	var calls atomic.Int64
	reconciler := reconcile.Func(func(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
		calls.Add(1)
		obj := &corev1.ConfigMap{}
		if err := c.Get(ctx, r.NamespacedName, obj); err != nil {
			return reconcile.Result{}, client.IgnoreNotFound(err)
		}
		metav1.SetMetaDataAnnotation(&obj.ObjectMeta, "seen", obj.Data["value"])
		metav1.SetMetaDataAnnotation(&obj.ObjectMeta, "call", fmt.Sprint(calls.Load()))
		return reconcile.Result{}, c.Update(ctx, obj)
	})
	byOthers := predicate.And(drpredicate.NotOwnWrite(drmanager.OwnWrites(c)), drpredicate.NotResync())
	mine := predicate.NewPredicateFuncs(func(obj client.Object) bool { return obj.GetNamespace() == namespace })
	if err := builder.ControllerManagedBy(m).For(&corev1.ConfigMap{}, builder.WithPredicates(mine, byOthers)).
		WithOptions(ourQueue()).Complete(reconciler); err != nil {
		t.Fatal(err)
	}
	started(t, m)

	obj := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web"}, Data: map[string]string{"value": "0"}}
	if err := api.Create(t.Context(), obj); err != nil {
		t.Fatal(err)
	}
	for i := range writes {
		if err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
			if err := api.Get(t.Context(), client.ObjectKeyFromObject(obj), obj); err != nil {
				return err
			}
			obj.Data["value"] = fmt.Sprint(i + 1)
			return api.Update(t.Context(), obj)
		}); err != nil {
			t.Fatal(err)
		}
	}
	await.Until(t, "the reconciler to see the last write", func() bool {
		return api.Get(t.Context(), client.ObjectKeyFromObject(obj), obj) == nil && obj.Annotations["seen"] == fmt.Sprint(writes)
	})
	// Refused updates are tried again, so there are calls without a write of somebody else.
	if n := calls.Load(); n > 3*writes {
		t.Errorf("the reconciler was called %d times for %d writes", n, writes)
	}
	called := calls.Load()
	marker := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "after"}}
	if err := api.Create(t.Context(), marker); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "an object that is written after the last write", func() bool { // so the predicate has seen its event
		return api.Get(t.Context(), client.ObjectKeyFromObject(marker), marker) == nil && marker.Annotations["call"] != ""
	})
	if n := calls.Load() - called; n > 2 {
		t.Errorf("the reconciler called itself %d times", n)
	}
}

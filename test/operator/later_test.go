package operator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// TestAKindThatComesLater starts an operator without its CRD, and checks that it works after
// the CRD is installed.
func TestAKindThatComesLater(t *testing.T) {
	config := administrator(t)
	api := directly(t, config)
	undefine(t, api, gadgets) // an earlier run in this process left it
	namespace := newNamespace(t, api)
	m, c := newManagerOfOurs(t, config, managerOptions(), cache.Options{
		ByObject: map[client.Object]cache.KindOptions{&Gadget{}: {Missing: cache.WaitForIt, Reflector: soon}},
	})
	r := newReconciler(gadgets, m.GetClient())
	signalled := controlSignalled(t, m, r, namespace)
	neighbour := newReconciler(configMaps, m.GetClient())
	control(t, m, neighbour)

	begin := time.Now()
	started(t, m)
	ctx, cancel := context.WithTimeout(t.Context(), await.Patience)
	defer cancel()
	if !c.WaitForCacheSync(ctx) {
		t.Fatal("WaitForCacheSync waits for a kind that may come later")
	}
	create(t, api, configMaps, client.ObjectKey{Namespace: namespace, Name: signal})
	select {
	case err := <-signalled:
		checkNotSynced(t, "a Get of the reconciler", err)
	case <-ctx.Done():
		t.Fatal("the controller has not started without the kind")
	}
	awaitAgreement(t, neighbour, api, namespace)
	checkNotSynced(t, "a List", c.List(t.Context(), &GadgetList{}))
	checkDegraded(t, c, trouble{gadgets, begin}, "Gadget is not synced", "install the kind's CRD")

	define(t, api, gadgets)
	for i := range 10 {
		create(t, api, gadgets, client.ObjectKey{Namespace: namespace, Name: fmt.Sprint("late-", i)})
	}
	awaitAgreement(t, r, api, namespace)
	awaitHealth(t, c)
	change(t, api, gadgets.with(client.ObjectKey{Namespace: namespace, Name: "late-1"}, "2"))
	remove(t, api, gadgets, client.ObjectKey{Namespace: namespace, Name: "late-2"})
	awaitAgreement(t, r, api, namespace)
	if got, want := worldOf(t, c, &GadgetList{}), worldOf(t, api, &GadgetList{}); !got.equal(want) {
		t.Errorf("the cache lists %v, want %v", got, want)
	}
	r.judge(t)
	neighbour.judge(t)
}

// signal is the name of an object of another kind that triggers a reconciler.
const signal = "signal"

// controlSignalled makes a manager call a reconciler. When a ConfigMap with the name signal
// comes, the reconciler reads its kind and reports the result.
func controlSignalled(t *testing.T, m manager.Manager, r *reconciler, namespace string) <-chan error {
	t.Helper()
	signalled := make(chan error, 100)
	do := func(ctx context.Context, q reconcile.Request) (reconcile.Result, error) {
		if q.Name != signal {
			return r.Reconcile(ctx, q)
		}
		signalled <- r.reader.Get(ctx, q.NamespacedName, r.kind.object())
		return reconcile.Result{}, nil
	}
	wakes := predicate.NewPredicateFuncs(func(o client.Object) bool { return o.GetNamespace() == namespace && o.GetName() == signal })
	err := builder.ControllerManagedBy(m).For(r.kind.object()).
		Watches(&corev1.ConfigMap{}, &handler.EnqueueRequestForObject{}, builder.WithPredicates(wakes)).
		WithOptions(ourQueue()).Complete(reconcile.Func(do))
	must(t, err)
	return signalled
}

// checkNotSynced checks that a read was refused because nothing is known. That is not the
// same as an empty result.
func checkNotSynced(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, informer.ErrNotSynced) || apierrors.IsNotFound(err) || !strings.Contains(err.Error(), "CRD") {
		t.Errorf("%s returns %v, want that the kind is not synced, and why", what, err)
	}
}

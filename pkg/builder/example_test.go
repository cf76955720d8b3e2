package builder_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// reconciler is yours.
type reconciler struct{ done chan struct{} }

func (r reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	for change := range delta.From(ctx).All() {
		fmt.Println(request.Name, "because of:", change)
	}
	close(r.done)
	return reconcile.Result{}, nil
}

// example runs what was added to a manager until the reconciler was called.
func example(m *fakeManager, done <-chan struct{}) {
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for _, r := range m.added {
		running.Go(func() { _ = r.Start(ctx) })
	}
	<-done
	stop()
	running.Wait()
}

func ExampleControllerManagedBy() {
	mgr := newFakeManager(&askedFor{Cache: &informertest.FakeInformers{}}) // yours is made by ctrl.NewManager
	r := reconciler{done: make(chan struct{})}
	err := builder.ControllerManagedBy(mgr).
		For(&corev1.ConfigMap{}).
		Owns(&corev1.Pod{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(secretsRequests)).
		WatchesRawSource(ctrlsource.Func(func(_ context.Context, q queue) error { // as an example of something that happens
			q.Add(named("web"))
			return nil
		})).
		Complete(r)
	if err != nil {
		panic(err)
	}
	example(mgr, r.done)
	// Output: web because of: External
}

func ExampleTypedControllerManagedBy() {
	mgr := newFakeManager(&informertest.FakeInformers{})
	toName := handler.TypedEnqueueRequestsFromMapFunc(func(_ context.Context, obj client.Object) []string { return []string{obj.GetName()} })
	err := builder.TypedControllerManagedBy[string](mgr).
		Named("names").
		Watches(&corev1.Secret{}, toName).
		Complete(reconcile.TypedFunc[string](func(ctx context.Context, name string) (reconcile.Result, error) {
			fmt.Println(name, delta.From(ctx))
			return reconcile.Result{}, nil
		}))
	fmt.Println(err)
	// Output: <nil>
}

func ExampleTypedBuilder_WithResync() {
	err := builder.ControllerManagedBy(newFakeManager(&informertest.FakeInformers{})).
		For(&corev1.ConfigMap{}).
		WithResync(resync.Policy{
			Period: 6 * time.Hour, Spread: resync.OverPeriod, // a few at a time
			OnlyIfNotReconciledFor: time.Hour,
		}).
		Complete(noop)
	fmt.Println(err)
	// Output: <nil>
}

func ExampleWithResyncPolicy() {
	err := builder.ControllerManagedBy(newFakeManager(&informertest.FakeInformers{})).
		For(&corev1.ConfigMap{}).
		Owns(&corev1.Pod{}, builder.WithResyncPolicy(resync.Policy{Period: resync.Never})).
		Complete(noop)
	fmt.Println(err)
	// Output: <nil>
}

func ExampleWithPredicates() {
	err := builder.ControllerManagedBy(newFakeManager(&informertest.FakeInformers{})).
		For(&corev1.ConfigMap{}, builder.WithPredicates(predicate.NewPredicateFuncs(func(obj client.Object) bool {
			return obj.GetName() == "web"
		}))).
		Complete(noop)
	fmt.Println(err)
	// Output: <nil>
}

func ExampleTypedBuilder_WithPaths() {
	err := builder.ControllerManagedBy(newFakeManager(&informertest.FakeInformers{})).
		For(&corev1.ConfigMap{}).
		Owns(&corev1.Pod{}).
		WithPaths(&corev1.ConfigMap{}, "data").
		WithPaths(&corev1.Pod{}, "spec.container[*].image"). // which is misspelt
		Complete(noop)
	fmt.Println(err)
	// Output: check what WithPaths() names for *v1.Pod: path spec.container[*].image can't exist in core/v1.Pod: spec has no field container; did you mean spec.containers[*].image?
}

func ExampleLedgerOf() {
	var c controller.Controller
	c, err := builder.ControllerManagedBy(newFakeManager(&informertest.FakeInformers{})).
		For(&corev1.ConfigMap{}).
		WithLedger(delta.LedgerOptions{LedgerLimits: delta.LedgerLimits{PerRequest: 16}}).
		Build(noop)
	if err != nil {
		panic(err)
	}
	status := builder.LedgerOf(c).Status()
	fmt.Println(status.Requests, "requests with", status.Changes, "changes")
	// Output: 0 requests with 0 changes
}

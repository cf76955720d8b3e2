package delta_test

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// deployment returns one with a number of replicas and containers with these images.
func deployment(replicas int32, images ...string) *appsv1.Deployment {
	d := &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       appsv1.DeploymentSpec{Replicas: &replicas},
	}
	for i, image := range images {
		c := corev1.Container{Name: fmt.Sprint("c", i), Image: image}
		d.Spec.Template.Spec.Containers = append(d.Spec.Template.Spec.Containers, c)
	}
	return d
}

// told is the context of a reconciler that has been told these changes.
func told(changes delta.Changes) context.Context {
	return delta.NewContext(context.Background(), changes)
}

// scaledUp is a Deployment that somebody gave more replicas.
func scaledUp() delta.Change {
	return delta.Change{
		Cause: delta.Primary, Kind: appsv1.SchemeGroupVersion.WithKind("Deployment"), Key: delta.Key{Name: "web"},
		Op: delta.Updated, Old: deployment(3, "web:1"), New: deployment(5, "web:1"),
	}
}

// gonePod is a Pod of that Deployment that was deleted.
func gonePod() delta.Change {
	return delta.Change{
		Cause: delta.Owned, Kind: corev1.SchemeGroupVersion.WithKind("Pod"), Key: delta.Key{Namespace: "team", Name: "web-1"},
		Op: delta.Deleted, Old: pod("web-1"), New: pod("web-1"),
	}
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name}}
}

func ExampleFrom() {
	ctx := told(delta.NewChanges(scaledUp(), gonePod()))

	for change := range delta.From(ctx).All() {
		fmt.Println(change)
	}
	// Output:
	// Primary Deployment web Updated
	// Owned Pod team/web-1 Deleted
}

// Without our builder there is nothing to tell.
func ExampleFrom_nothingKnown() {
	changes := delta.From(context.Background())
	fmt.Println(changes.Complete(), changes.Only(delta.Sync), changes.Touches("spec"))
	// Output: false false true
}

func ExampleChanges_Only() {
	resync := delta.Change{Cause: delta.Resync, Op: delta.Sync, Old: deployment(3), New: deployment(3)}
	ctx := told(delta.NewChanges(resync))

	if delta.From(ctx).Only(delta.Sync) {
		fmt.Println("nothing happened: compare with the outside world, and do no more")
	}
	// Output: nothing happened: compare with the outside world, and do no more
}

func ExampleChanges_Of() {
	ctx := told(delta.NewChanges(scaledUp(), gonePod()))

	for change := range delta.From(ctx).Of(&corev1.Pod{}).All() {
		fmt.Println(change.Op, change.Key)
	}
	// Output: Deleted team/web-1
}

func ExampleChanges_By() {
	ctx := told(delta.NewChanges(scaledUp(), gonePod()))

	changes := delta.From(ctx)
	fmt.Println(changes.By(delta.Owned).Len(), changes.Has(delta.Resync))
	// Output: 1 false
}

func ExampleChanges_Touches() {
	ctx := told(delta.NewChanges(scaledUp()))

	changes := delta.From(ctx)
	if changes.Touches("spec.template") {
		fmt.Println("roll out")
	}
	if changes.Touches("spec.replicas") {
		fmt.Println("scale")
	}
	// Output: scale
}

func ExampleChange_Diff() {
	ctx := told(delta.NewChanges(scaledUp()))

	for change := range delta.From(ctx).All() {
		for path := range change.Diff().Paths() {
			fmt.Println(path)
		}
		fmt.Println(change.Diff())
	}
	// Output:
	// spec.replicas
	// spec.replicas: 3 → 5
}

func ExampleChanges_Attempt() {
	ctx := told(delta.NewChanges(scaledUp()).Assume(delta.Circumstances{Attempt: 4}))

	if n := delta.From(ctx).Attempt(); n > 3 {
		fmt.Println("still failing after", n-1, "attempts")
	}
	// Output: still failing after 3 attempts
}

func ExampleChanges_Complete() {
	ctx := told(delta.NewChanges(scaledUp()).Assume(delta.Circumstances{Lacking: "no success with the request is known since the process started"}))

	changes := delta.From(ctx)
	if !changes.Complete() {
		fmt.Println("doing everything:", changes.Incomplete())
	}
	// Output: doing everything: no success with the request is known since the process started
}

// written knows one write; see manager.OwnWrites.
type written struct {
	delta.OwnWrites
	from, to string
}

func (w written) Made(_ types.UID, from, to string) bool { return from == w.from && to == w.to }

func ExampleChange_Own() {
	before, after := deployment(3), deployment(5)
	before.UID, before.ResourceVersion = "uid", "7"
	after.UID, after.ResourceVersion = "uid", "8"
	writes := written{from: "7", to: "8"} // the manager's client knows its writes, and the builder finds them
	ours := delta.Change{Cause: delta.Primary, Op: delta.Updated, Old: before, New: after}
	ctx := told(delta.NewChanges(ours).Assume(delta.Circumstances{Writes: writes}))

	for change := range delta.From(ctx).All() {
		if change.Own() {
			continue // we wrote that ourselves
		}
		fmt.Println("somebody else:", change)
	}
	// Output:
}

func ExampleChange_Manager() {
	after := deployment(5)
	after.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl-edit", Time: &metav1.Time{}}}
	edited := delta.Change{Cause: delta.Primary, Op: delta.Updated, Old: deployment(3), New: after}
	ctx := told(delta.NewChanges(edited))

	for change := range delta.From(ctx).All() {
		fmt.Println(change.Manager())
	}
	// Output: kubectl-edit
}

func ExampleMustPath() {
	image := delta.MustPath[*appsv1.Deployment]("spec.template.spec.containers[*].image")
	replicas := delta.MustPath[*appsv1.Deployment]("spec.replicas")

	changes := delta.From(told(delta.NewChanges(scaledUp())))
	fmt.Println(changes.Touches(image), changes.Touches(replicas))
	// Output: false true
}

func ExampleCheckPath() {
	fmt.Println(delta.CheckPath(&appsv1.Deployment{}, "spec.replica"))
	fmt.Println(delta.CheckPath(&corev1.Secret{}, "data.tls.crt"))
	// Output:
	// path spec.replica can't exist in apps/v1.Deployment: spec has no field replica; did you mean spec.replicas?
	// path data.tls.crt can't exist in core/v1.Secret: data[tls] is a text and has nothing below it; did you mean data["tls.crt"]?
}

// scaler reports how many replicas there are, and restarts everything if the template
// has changed.
type scaler struct {
	client.Client
	restarts int
}

func (r *scaler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	d := &appsv1.Deployment{}
	if err := r.Get(ctx, req.NamespacedName, d); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if delta.From(ctx).Touches("spec.template") {
		r.restarts++ // expensive, and harmless when it was not needed
	}
	d.Status.Replicas = *d.Spec.Replicas
	return reconcile.Result{}, r.Status().Update(ctx, d)
}

// A reconciler is tested with a fake client, and is told what the test says.
func ExampleNewContext() {
	before, after := deployment(3, "web:1"), deployment(5, "web:1")
	api := fake.NewClientBuilder().WithObjects(after).WithStatusSubresource(after).Build()
	r := &scaler{Client: api}
	request := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(after)}

	changes := delta.NewChanges(delta.Change{Cause: delta.Primary, Op: delta.Updated, Old: before, New: after})
	ctx := delta.NewContext(context.Background(), changes)
	_, err := r.Reconcile(ctx, request)
	fmt.Println(r.restarts, err)

	_, err = r.Reconcile(context.Background(), request) // nothing known: as after a restart
	fmt.Println(r.restarts, err)

	err = api.Get(context.Background(), request.NamespacedName, after)
	fmt.Println(after.Status.Replicas, err)
	// Output:
	// 0 <nil>
	// 1 <nil>
	// 5 <nil>
}

func ExampleSettle() {
	r := reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
		if delta.From(ctx).Touches("spec") {
			fmt.Println("apply")
		}
		delta.Settle(ctx) // the work is done; the next call only looks again
		return reconcile.Result{RequeueAfter: time.Minute}, nil
	})

	ledger := delta.NewLedger[string](delta.LedgerOptions{}) // as our builder has one
	for range 2 {
		ctx, call := ledger.Begin(context.Background(), "web")
		result, _ := r.Reconcile(ctx, reconcile.Request{})
		fmt.Println("again in", result.RequeueAfter)
		call.End(delta.Unfinished)
	}
	// Output:
	// apply
	// again in 1m0s
	// again in 1m0s
}

func ExampleKeep() {
	ledger := delta.NewLedger[string](delta.LedgerOptions{}) // as our builder has one
	ledger.Record("web", scaledUp())
	ledger.Landed("web")
	for _, ready := range []bool{false, true} {
		ctx, call := ledger.Begin(context.Background(), "web")
		fmt.Println(delta.From(ctx).Of(&appsv1.Deployment{}).Len())
		if !ready {
			delta.Keep(ctx) // somebody else will have us called
		}
		call.End(delta.Succeeded)
	}
	// Output:
	// 1
	// 1
}

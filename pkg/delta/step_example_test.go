package delta_test

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// operator works in steps.
type operator struct{}

func (operator) scale(context.Context) error   { fmt.Println("scale"); return nil }
func (operator) rollOut(context.Context) error { fmt.Println("roll out"); return nil }
func (operator) report(context.Context) error  { fmt.Println("report"); return nil }

func (r operator) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	plan := delta.Plan(ctx)
	return reconcile.Result{}, errors.Join(
		plan.On(&appsv1.Deployment{}, "spec.replicas").
			Do("scale", r.scale),
		plan.On(&appsv1.Deployment{}, "spec.template").On(&corev1.Secret{}, "data").
			Do("roll out", r.rollOut),
		plan.Do("report", r.report), // depends on nothing, and always runs
	)
}

func ExamplePlan() {
	ctx := told(delta.NewChanges(scaledUp()))

	_, err := operator{}.Reconcile(ctx, reconcile.Request{})
	fmt.Println(err)
	// Output:
	// scale
	// report
	// <nil>
}

// A test asks which steps ran, and why.
func ExampleSteps() {
	ctx := told(delta.NewChanges(scaledUp()))

	_, _ = operator{}.Reconcile(ctx, reconcile.Request{})
	for _, step := range delta.Steps(ctx) {
		fmt.Println(step)
	}
	// Output:
	// scale
	// report
	// scale done: Primary Deployment web Updated
	// roll out skipped
	// report done: it depends on nothing
}

func ExampleStep_OnNamed() {
	ctx := told(delta.NewChanges(gonePod()))
	pod := delta.Key{Namespace: "team", Name: "web-1"}

	_ = delta.Plan(ctx).OnNamed(&corev1.Pod{}, pod).Do("replace", func(context.Context) error {
		fmt.Println("replace it")
		return nil
	})
	// Output: replace it
}

func ExampleStep_OnCause() {
	resync := delta.Change{Cause: delta.Resync, Op: delta.Sync, Old: deployment(3), New: deployment(3)}
	ctx := told(delta.NewChanges(resync))

	_ = delta.Plan(ctx).On(&appsv1.Deployment{}, "spec").OnCause(delta.Resync).Do("register", func(context.Context) error {
		fmt.Println("compare with the outside world")
		return nil
	})
	// Output: compare with the outside world
}

package delta_test

import (
	"context"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// BenchmarkPlan is a call of a reconciler with five steps that nothing touches: what led to
// it is the status of a Pod. It is measured against the same judgement by hand.
func BenchmarkPlan(b *testing.B) {
	before := benchkit.Pods(1)[0].DeepCopy()
	after := before.DeepCopy()
	before.ResourceVersion, after.ResourceVersion, after.Status.Message = "1", "2", "ready"
	change := delta.Change{
		Cause: delta.Owned, Op: delta.Updated, Old: before, New: after,
		Key: delta.Key{Namespace: after.Namespace, Name: after.Name},
	}
	ledger := delta.NewLedger[string](delta.LedgerOptions{
		Watches: func(schema.GroupVersionKind) bool { return true },
		KindOf: func(obj delta.Object) (schema.GroupVersionKind, error) {
			if _, ok := obj.(*corev1.Pod); ok {
				return corev1.SchemeGroupVersion.WithKind("Pod"), nil
			}
			return appsv1.SchemeGroupVersion.WithKind("Deployment"), nil
		},
	})
	record(ledger, "r", delta.Change{Cause: delta.External})
	ledger.Take("r")
	ledger.Settle("r", delta.Succeeded)
	var asked error // what work returns: it is done once, so that nothing is left to be done
	work := func(context.Context) error { return asked }
	for name, do := range map[string]func(ctx context.Context) error{
		"by=steps": func(ctx context.Context) error {
			plan, err := delta.Plan(ctx), error(nil)
			for _, name := range []string{"one", "two", "three", "four", "five"} {
				if failed := plan.On(&appsv1.Deployment{}, "spec").On(&corev1.Pod{}, "spec").Do(name, work); failed != nil {
					err = failed
				}
			}
			return err
		},
		"by=hand": func(ctx context.Context) error {
			changes, err := delta.From(ctx), error(nil)
			for range 5 {
				if changes.Of(&appsv1.Deployment{}).Touches("spec") || changes.Of(&corev1.Pod{}).Touches("spec") {
					if failed := work(ctx); failed != nil {
						err = failed
					}
				}
			}
			return err
		},
		"by=nobody": func(context.Context) error { return nil },
	} {
		b.Run(name, func(b *testing.B) {
			asked = nil
			ctx, call := ledger.Begin(b.Context(), "r")
			if err := do(ctx); err != nil {
				b.Fatal(err)
			}
			call.End(delta.Succeeded)
			asked = errAsked
			b.ReportAllocs()
			cpu, n := benchkit.StartCPU(), 0
			for b.Loop() {
				n++
				record(ledger, "r", change)
				ctx, call := ledger.Begin(b.Context(), "r")
				if err := do(ctx); err != nil {
					b.Fatal(err)
				}
				call.End(delta.Succeeded)
			}
			cpu.Report(b, n)
		})
	}
}

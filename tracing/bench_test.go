package tracing_test

import (
	"context"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/tracing"
)

// BenchmarkReconcile compares a reconciler without spans with one that is not sampled and with
// one that is.
func BenchmarkReconcile(b *testing.B) {
	plain := reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) { return reconcile.Result{}, nil })
	before, after := &corev1.ConfigMap{Data: map[string]string{"a": "b"}}, &corev1.ConfigMap{Data: map[string]string{"a": "c"}}
	ctx := delta.NewContext(b.Context(), delta.NewChanges(delta.Change{Cause: delta.Primary, Op: delta.Updated, Old: before, New: after}))
	for name, sampler := range map[string]sdktrace.Sampler{"none": nil, "unsampled": sdktrace.NeverSample(), "sampled": sdktrace.AlwaysSample()} {
		b.Run("spans="+name, func(b *testing.B) {
			var r reconcile.Reconciler = plain
			if sampler != nil {
				r = tracing.Reconciler(plain, tracing.Options{Provider: sdktrace.NewTracerProvider(sdktrace.WithSampler(sampler))})
			}
			for b.Loop() {
				_, _ = r.Reconcile(ctx, reconcile.Request{})
			}
		})
	}
}

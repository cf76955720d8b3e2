package tracing_test

import (
	"context"
	"fmt"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/tracing"
)

func ExampleReconciler() {
	spans := tracetest.NewInMemoryExporter() // an operator has one that sends spans
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
	mine := reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) { return reconcile.Result{}, nil })

	r := tracing.Reconciler(mine, tracing.Options{Controller: "site", Provider: provider})
	_, _ = r.Reconcile(context.Background(), reconcile.Request{}) // the controller does that
	for _, span := range spans.GetSpans() {
		fmt.Println(span.Name)
	}
	// Output:
	// wait
	// reconcile
	// site
}

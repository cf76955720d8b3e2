//go:build slow

package tracing_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/tracing"
)

// TestWhatFailsIsRememberedInBounds fails for many more requests than are remembered.
func TestWhatFailsIsRememberedInBounds(t *testing.T) {
	provider := sdktrace.NewTracerProvider() // exports nothing
	called := tracing.Reconciler(reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
		return reconcile.Result{}, errors.New("it is broken")
	}), tracing.Options{Provider: provider})
	fail := func(from, to int) uint64 {
		for i := from; i < to; i++ {
			var request reconcile.Request
			request.Name = fmt.Sprint("request-", i)
			_, _ = called.Reconcile(t.Context(), request)
		}
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	few := fail(0, 2000)
	if many := fail(2000, 50_000); many > few+1<<20 {
		t.Errorf("48,000 more requests that failed take %d bytes", many-few)
	}
	runtime.KeepAlive(called)
}

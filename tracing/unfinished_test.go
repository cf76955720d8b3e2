package tracing_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/tracing"
)

// TestNoMoreAreRememberedThanTheBound counts what is remembered of many more requests that fail.
func TestNoMoreAreRememberedThanTheBound(t *testing.T) {
	provider := sdktrace.NewTracerProvider() // exports nothing
	called := tracing.Reconciler(reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
		return reconcile.Result{}, errors.New("it is broken")
	}), tracing.Options{Provider: provider})
	for i := range 3 * tracing.MaxUnfinished {
		var request reconcile.Request
		request.Name = fmt.Sprint("request-", i)
		_, _ = called.Reconcile(t.Context(), request)
		if n := tracing.Unfinished(called); n != min(i+1, tracing.MaxUnfinished) {
			t.Fatalf("after %d requests that failed %d are remembered", i+1, n)
		}
	}
}

// sometimes samples every call but the second.
type sometimes struct {
	sdktrace.Sampler
	calls int
}

func (s *sometimes) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	if p.Name == "controller" {
		s.calls++
	}
	if s.calls == 2 {
		return sdktrace.NeverSample().ShouldSample(p)
	}
	return s.Sampler.ShouldSample(p)
}

// TestALinkIsToTheLastAttempt fails, then does something that is not sampled, then succeeds. The
// last call goes on with what nobody has recorded.
func TestALinkIsToTheLastAttempt(t *testing.T) {
	r := newRecorder(t, &sometimes{Sampler: sdktrace.AlwaysSample()})
	calls := 0
	called := tracing.Reconciler(reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
		if calls++; calls == 1 {
			return reconcile.Result{}, errors.New("it is broken")
		}
		return reconcile.Result{}, nil
	}), tracing.Options{Provider: r.provider})
	for range 3 {
		_, _ = called.Reconcile(t.Context(), reconcile.Request{})
	}
	all := r.named("controller")
	if len(all) != 2 || len(all[1].Links) != 0 {
		t.Errorf("the spans of the calls are %+v", all)
	}
}

// TestAStepThatFailedIsAnError has a reconciler that keeps the error of a step to itself. The builder
// makes it an error, and so does the span.
func TestAStepThatFailedIsAnError(t *testing.T) {
	r := newRecorder(t, sdktrace.AlwaysSample())
	called := tracing.Reconciler(reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
		_ = delta.Plan(ctx).Do("copy", func(context.Context) error { return errors.New("it is broken") })
		return reconcile.Result{}, nil
	}), tracing.Options{Provider: r.provider})
	ctx := delta.NewContext(t.Context(), delta.NewChanges())
	for range 2 {
		if _, err := called.Reconcile(ctx, reconcile.Request{}); err != nil {
			t.Errorf("the reconciler returned %v", err)
		}
	}
	all := r.named("controller")
	if said(all[0].Attributes, "delta.result") != "error" || !strings.Contains(all[0].Status.Description, "it is broken") || len(all[1].Links) != 1 {
		t.Errorf("the spans of the calls are %+v", all)
	}
}

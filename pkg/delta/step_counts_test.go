package delta_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

func TestStepsAreCountedByName(t *testing.T) {
	l := knowing(delta.LedgerLimits{})
	tasks := lifecycle.New(t.Context())
	for worker := range 4 {
		tasks.Go("worker", func(context.Context) error {
			name := fmt.Sprint(worker)
			record(l, name, delta.Change{Cause: delta.External})
			l.Take(name)
			l.Settle(name, delta.Succeeded)
			for range 10 {
				record(l, name, became(at(1, 1), at(2, 2)))
				ctx, call := l.Begin(t.Context(), name)
				plan := delta.Plan(ctx)
				_ = plan.On(&appsv1.Deployment{}, "spec").Do("done", succeed)
				_ = plan.On(&corev1.Pod{}).Do("skipped", succeed)
				func() {
					defer func() { _ = recover() }()
					_ = plan.Do("failed", func(context.Context) error { return errAsked })
					_ = plan.Do("failed", func(context.Context) error { panic("as the test wants it") })
				}()
				call.End(delta.Failed)
			}
			return nil
		})
	}
	if err := tasks.Wait(); err != nil {
		t.Error(err)
	}
	want := []delta.StepStatus{{Name: "done", Done: 40}, {Name: "failed", Failed: 80}, {Name: "skipped", Skipped: 40}}
	if got := l.Steps(); !slices.Equal(got, want) {
		t.Errorf("counted %+v, want %+v", got, want)
	}
}

// Names that say what a step is done to can't fill the memory.
func TestNamesOfStepsAreBounded(t *testing.T) {
	l := knowing(delta.LedgerLimits{})
	for i := range 10_000 {
		ctx, call := l.Begin(t.Context(), "r")
		_ = delta.Plan(ctx).Do(fmt.Sprint("do something to object ", i), succeed)
		_ = delta.Plan(ctx).Do(strings.Repeat("long", 100), succeed)
		call.End(delta.Succeeded)
	}
	got, sum := l.Steps(), uint64(0)
	for _, status := range got {
		sum += status.Done
	}
	if len(got) < 100 || len(got) > 101 || got[0].Name != "" || sum != 20_000 {
		t.Errorf("%d names are counted, %d steps, the first %+v", len(got), sum, got[0])
	}
}

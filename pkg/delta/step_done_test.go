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

// reaching is a reconciler whose calls end well before they have come to all steps.
type reaching struct {
	t      *testing.T
	ledger *delta.Ledger[string]
	did    []string
}

// call has the reconciler called, which does what is asked of it, and returns which steps ran.
func (r *reaching) call(how delta.Outcome, steps ...func(delta.Step) error) string {
	r.did = nil
	ctx, call := r.ledger.Begin(r.t.Context(), "r")
	for _, step := range steps {
		if step(delta.Plan(ctx)) != nil {
			how = delta.Failed
		}
	}
	call.End(how)
	r.ledger.Landed("r")
	return strings.Join(r.did, " ")
}

// named is a step that depends on a Deployment.
func (r *reaching) named(name string, on delta.Key, result error) func(delta.Step) error {
	return func(s delta.Step) error {
		return s.OnNamed(&appsv1.Deployment{}, on, "spec.replicas").Do(name, func(context.Context) error {
			r.did = append(r.did, name+on.Name)
			return result
		})
	}
}

// aPod is a change that touches none of the steps.
func aPod(r *reaching) {
	record(r.ledger, "r", delta.Change{Cause: delta.Owned, Kind: corev1.SchemeGroupVersion.WithKind("Pod"), Key: delta.Key{Name: "p"}, Op: delta.Added, New: &corev1.Pod{}})
}

// A call may end well without having come to a step: the reconciler returns early, or the step is behind an if. All that the
// call was told is dealt with then, and the step has not seen it. So it runs when it is reached.
func TestAStepRunsThatTheLastCallDidNotReach(t *testing.T) {
	var all delta.Key
	for name, play := range map[string]func(r *reaching) string{
		"it failed, and the retry does not reach it": func(r *reaching) string {
			record(r.ledger, "r", became(at(1, 1), at(2, 2)))
			r.call(delta.Succeeded, r.named("scale", all, errAsked))
			r.call(delta.Succeeded)
			aPod(r)
			return r.call(delta.Succeeded, r.named("scale", all, nil))
		},
		"it is behind an if, and what it depends on changes": func(r *reaching) string {
			record(r.ledger, "r", became(at(1, 1), at(2, 2)))
			r.call(delta.Succeeded, r.named("scale", all, nil))
			record(r.ledger, "r", became(at(2, 2), at(3, 3)))
			r.call(delta.Succeeded)
			aPod(r)
			return r.call(delta.Succeeded, r.named("scale", all, nil))
		},
		"it has never been reached": func(r *reaching) string {
			record(r.ledger, "r", became(at(1, 1), at(2, 2)))
			r.call(delta.Succeeded)
			aPod(r)
			return r.call(delta.Succeeded, r.named("scale", all, nil))
		},
		"another step of the name has been reached": func(r *reaching) string {
			record(r.ledger, "r", became(at(1, 1), at(2, 2)))
			r.call(delta.Succeeded, r.named("scale", delta.Key{Name: "a"}, nil))
			aPod(r)
			return r.call(delta.Succeeded, r.named("scale", delta.Key{Name: "a"}, nil), r.named("scale", all, nil))
		},
		"the same step has been reached once": func(r *reaching) string {
			record(r.ledger, "r", became(at(1, 1), at(2, 2)))
			r.call(delta.Succeeded, r.named("scale", all, nil))
			aPod(r)
			twice := slices.Repeat([]func(delta.Step) error{r.named("scale", all, nil)}, 2)
			return r.call(delta.Succeeded, twice...)
		},
		"it has failed, and the retry is told nothing that touches it": func(r *reaching) string {
			record(r.ledger, "r", became(at(1, 1), at(2, 2)))
			r.call(delta.Succeeded)
			aPod(r)
			r.call(delta.Succeeded, r.named("scale", all, errAsked))
			return r.call(delta.Succeeded, r.named("scale", all, nil))
		},
		"a failed call reached it, and it was done": func(r *reaching) string {
			record(r.ledger, "r", became(at(1, 1), at(2, 2)))
			r.call(delta.Succeeded)
			aPod(r)
			r.call(delta.Failed, r.named("scale", all, nil))
			ran := r.call(delta.Succeeded, r.named("scale", all, nil), r.named("other", all, nil))
			return strings.ReplaceAll(ran, "other", "scale") // the other one has to run, and scale need not
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := &reaching{t: t, ledger: knowing(delta.LedgerLimits{})}
			if ran := play(r); ran != "scale" {
				t.Errorf("the last call ran %q", ran)
			}
			aPod(r)
			if ran := r.call(delta.Succeeded, r.named("scale", all, nil)); ran != "" {
				t.Errorf("once it was reached and nothing touches it, the call ran %q", ran)
			}
		})
	}
}

// More steps than are remembered are done again.
func TestStepsBeyondThoseThatAreRemembered(t *testing.T) {
	r := &reaching{t: t, ledger: knowing(delta.LedgerLimits{})}
	var many []func(delta.Step) error
	for range 300 {
		many = append(many, r.named("s", delta.Key{}, nil))
	}
	record(r.ledger, "r", became(at(1, 1), at(2, 2)))
	for call, want := range []int{300, 300 - 256, 300 - 256} {
		r.call(delta.Succeeded, many...)
		if len(r.did) != want {
			t.Errorf("call %d did %d steps, want %d", call, len(r.did), want)
		}
		aPod(r)
	}
}

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

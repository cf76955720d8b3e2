package delta_test

import (
	"context"
	"errors"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// A step is retried until it succeeds, also if the next call has nothing that says why it
// ran: the reason was a timer, or that something could not be judged then.
func TestAStepIsRetriedWhateverItsReasonWas(t *testing.T) {
	var watched bool
	schemas := &delta.Belated{Schemas: samples.Builtin}
	for name, tt := range map[string]struct {
		opts  delta.LedgerOptions
		step  func(delta.Step) delta.Step
		first delta.Outcome // of the call before, which has nothing to do with the step
		later func()
	}{
		"a timer": {
			step:  func(s delta.Step) delta.Step { return s.OnCause(delta.Timer) },
			first: delta.SucceededWithTimer,
		},
		"a kind that is watched later": {
			opts:  delta.LedgerOptions{KindOf: kindOf, Watches: func(kind schema.GroupVersionKind) bool { return kind.Kind == "Deployment" || watched }},
			step:  func(s delta.Step) delta.Step { return s.On(&corev1.Secret{}, "data") },
			later: func() { watched = true },
		},
		"schemas that come later": {
			opts: delta.LedgerOptions{Schemas: schemas},
			step: func(s delta.Step) delta.Step {
				return s.On(&appsv1.Deployment{}, `spec.template.spec.containers[name="a"].image`)
			},
			later: func() { schemas.Known = true },
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := delta.NewLedger[string](tt.opts)
			runs := 0
			call := func(err error, how delta.Outcome) {
				ctx, c := l.Begin(t.Context(), "r")
				_ = tt.step(delta.Plan(ctx)).Do("step", func(context.Context) error { runs++; return err })
				if c.Err() != nil {
					how = delta.Failed
				}
				c.End(how)
			}
			record(l, "r", delta.Change{Cause: delta.External})
			call(nil, delta.Succeeded)
			before, after := at(1, 1), at(2, 1)
			before.Spec.Template.Spec.Containers = []corev1.Container{{Name: "a", Image: "a:1"}, {Name: "b", Image: "b:1"}}
			after.Spec.Template.Spec.Containers = []corev1.Container{{Name: "a", Image: "a:1"}, {Name: "b", Image: "b:2"}}
			record(l, "r", became(before, after))
			if tt.first != 0 {
				call(nil, tt.first)
			}
			runs = 0
			call(errors.New("as the test wants it"), delta.Succeeded)
			if tt.later != nil {
				tt.later()
			}
			call(nil, delta.Succeeded)
			if runs != 2 {
				t.Errorf("a step that failed once ran %d times", runs)
			}
		})
	}
}

// A mistake in a step is told at the first call, and a step without a function fails.
func TestMistakesInStepsAreToldAtOnce(t *testing.T) {
	l := delta.NewLedger[string](delta.LedgerOptions{})
	record(l, "r", delta.Change{Cause: delta.External})
	ctx, call := l.Begin(t.Context(), "r")
	if err := delta.Plan(ctx).On(&appsv1.Deployment{}, "spec.replica").Do("misspelt", succeed); err != nil {
		t.Error(err)
	}
	if err := delta.Plan(ctx).Do("nothing", nil); err == nil || call.Err() == nil {
		t.Error("a step that has no function succeeds")
	}
	call.End(delta.Succeeded)
	if steps := l.Steps(); len(steps) != 2 || steps[0].Blind == "" {
		t.Errorf("the steps are %+v", steps)
	}
}

// It is retried as well by a reconciler that has made a context of other changes.
func TestAStepIsRetriedInAnotherContext(t *testing.T) {
	l := knowing(delta.LedgerLimits{})
	record(l, "r", became(at(1, 1), at(2, 2)))
	for call, want := range []bool{false, true} { // it fails at the end of the first call
		ctx, c := l.Begin(t.Context(), "r")
		ran := false
		other := delta.NewContext(ctx, delta.NewChanges(resynced(at(2, 2))))
		err := delta.Plan(other).NotOnResync().On(&corev1.Pod{}).Do("step", func(context.Context) error { ran = true; return nil })
		if err != nil || ran != want {
			t.Errorf("call %d: the step ran: %t, error %v", call, ran, err)
		}
		if call == 0 {
			_ = delta.Plan(ctx).Do("step", func(context.Context) error { return errAsked })
		}
		c.End(delta.Succeeded)
	}
}

package delta_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

var errAsked = errors.New("as the test wants it")

func succeed(context.Context) error { return nil }

// A step that failed is told its reason again, whatever else is said of the call.
func TestAStepThatFailsIsNotDealtWith(t *testing.T) {
	fail := func(context.Context) error { return errAsked }
	for name, do := range map[string]func(context.Context, delta.Step){
		"an error":              func(_ context.Context, s delta.Step) { _ = s.Do("s", fail) },
		"an error, and Settle":  func(ctx context.Context, s delta.Step) { _ = s.Do("s", fail); delta.Settle(ctx) },
		"Settle, and an error":  func(ctx context.Context, s delta.Step) { delta.Settle(ctx); _ = s.Do("s", fail) },
		"a success of the name": func(_ context.Context, s delta.Step) { _ = s.Do("s", fail); _ = s.Do("s", succeed) },
		"a panic that is caught": func(_ context.Context, s delta.Step) {
			defer func() { _ = recover() }()
			_ = s.Do("s", func(context.Context) error { panic("as the test wants it") })
		},
		"other changes": func(ctx context.Context, _ delta.Step) {
			_ = delta.Plan(delta.NewContext(ctx, delta.From(ctx).Of(&appsv1.Deployment{}))).Do("s", fail)
		},
		"too many steps": func(_ context.Context, s delta.Step) {
			for range 200 {
				_ = s.Do("s", succeed)
			}
			_ = s.Do("s", fail)
		},
	} {
		for _, how := range []delta.Outcome{delta.Succeeded, delta.SucceededWithTimer, delta.Unfinished, delta.SettledAndFailed, delta.Failed} {
			l := knowing(delta.LedgerLimits{})
			record(l, "r", became(at(1, 1), at(2, 2)))
			ctx, call := l.Begin(t.Context(), "r")
			do(ctx, delta.Plan(ctx).On(&appsv1.Deployment{}, "spec"))
			if err := call.Err(); err == nil {
				t.Errorf("%s: the call knows no error", name)
			}
			call.End(how)
			ctx, call = l.Begin(t.Context(), "r")
			changes, did := delta.From(ctx), false
			_ = delta.Plan(ctx).On(&appsv1.Deployment{}, "spec").Do("s", func(context.Context) error { did = true; return nil })
			_ = delta.Plan(ctx).On(&corev1.Pod{}).Do("other", func(context.Context) error { t.Errorf("%s: a step that nothing touched runs again", name); return nil })
			if !did || !changes.Complete() {
				t.Errorf("%s, and the call has the outcome %d: told %s, and the step did not run", name, how, changes)
			}
			if err := call.Err(); err != nil {
				t.Errorf("%s: the next call has the error %v", name, err)
			}
			call.End(delta.Succeeded)
			if told := l.Take("r"); told.Of(&appsv1.Deployment{}).Len() != 0 {
				t.Errorf("%s: when all has succeeded told %s", name, told)
			}
		}
	}
}

// A step that is still at work when its call ends has not succeeded.
func TestAStepThatOutlivesItsCall(t *testing.T) {
	l := knowing(delta.LedgerLimits{})
	record(l, "r", became(at(1, 1), at(2, 2)))
	ctx, call := l.Begin(t.Context(), "r")
	began, end := make(chan struct{}), make(chan struct{})
	tasks := lifecycle.New(t.Context())
	tasks.Go("step", func(context.Context) error {
		return delta.Plan(ctx).Do("slow", func(context.Context) error { close(began); <-end; return nil })
	})
	<-began
	if err := call.Err(); err == nil || !strings.Contains(err.Error(), `step "slow" for r: it is still at work`) {
		t.Errorf("the call has the error %v", err)
	}
	call.End(delta.Succeeded)
	close(end)
	if err := tasks.Wait(); err != nil {
		t.Error(err)
	}
	if told := l.Take("r"); !told.Of(&appsv1.Deployment{}).Touches("spec") {
		t.Errorf("told %s", told)
	}
}

func TestErrorsOfStepsSayWhichAndForWhat(t *testing.T) {
	l := knowing(delta.LedgerLimits{})
	ctx, call := l.Begin(t.Context(), "team/shop")
	plan := delta.Plan(ctx)
	err := errors.Join(
		plan.Do("files", func(context.Context) error { return errAsked }),
		plan.Do("dns", succeed),
		plan.Do("register", func(context.Context) error { return fmt.Errorf("ask the registry: %w", errAsked) }),
	)
	want := "do step \"files\" for team/shop: as the test wants it\n" +
		"do step \"register\" for team/shop: ask the registry: as the test wants it"
	if err.Error() != want || call.Err().Error() != want || !errors.Is(call.Err(), errAsked) {
		t.Errorf("the error is\n%v\nand the call's is\n%v\nwant\n%s", err, call.Err(), want)
	}
	call.End(delta.Failed)
	if err := delta.Plan(t.Context()).Do("files", func(context.Context) error { return errAsked }); err.Error() != `do step "files": as the test wants it` || !errors.Is(err, errAsked) {
		t.Errorf("without a ledger the error is %v", err)
	}
	var many []string
	ctx, call = l.Begin(t.Context(), "r")
	for range 150 {
		_ = delta.Plan(ctx).Do("s", func(context.Context) error { return errAsked })
	}
	many = strings.Split(call.Err().Error(), "\n")
	if len(many) != 101 || many[100] != "do 50 more steps: they failed or have not ended" || len(delta.Steps(ctx)) != 100 {
		t.Errorf("of 150 errors %d are told, the last is %s", len(many), many[len(many)-1])
	}
}

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

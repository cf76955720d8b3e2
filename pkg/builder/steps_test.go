package builder_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// withValue is a ConfigMap that says something.
func withValue(value string) client.Object {
	obj := newObject(configMap, "web").(*corev1.ConfigMap)
	obj.UID, obj.Data = "uid", map[string]string{"value": value}
	return obj
}

// stepping is a reconciler of steps, which notes the names of those that ran.
type stepping struct {
	of func(ctx context.Context, ran func(name string) func(context.Context) error) (reconcile.Result, error)

	mu  sync.Mutex // guards ran
	ran []string
}

func (s *stepping) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	return s.of(ctx, func(name string) func(context.Context) error {
		return func(context.Context) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.ran = append(s.ran, name)
			return nil
		}
	})
}

// since is what ran since it was last asked.
func (s *stepping) since() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.ran = nil }()
	return strings.Join(s.ran, " ")
}

// A step is retried until it succeeds, also if the reconciler keeps its error to itself.
func TestAStepIsRetriedWhateverTheReconcilerReturns(t *testing.T) {
	for name, finish := range map[string]func(context.Context, error) (reconcile.Result, error){
		"its error": func(_ context.Context, err error) (reconcile.Result, error) { return reconcile.Result{}, err },
		"nil":       func(context.Context, error) (reconcile.Result, error) { return reconcile.Result{}, nil },
		"RequeueAfter": func(context.Context, error) (reconcile.Result, error) {
			return reconcile.Result{RequeueAfter: time.Minute}, nil
		},
		"Requeue": func(context.Context, error) (reconcile.Result, error) { return reconcile.Result{Requeue: true}, nil }, //nolint:staticcheck // as long as there is Requeue
		"nil, and says that all is settled": func(ctx context.Context, _ error) (reconcile.Result, error) {
			delta.Settle(ctx)
			return reconcile.Result{}, nil
		},
		"RequeueAfter, and says that all is settled": func(ctx context.Context, _ error) (reconcile.Result, error) {
			delta.Settle(ctx)
			return reconcile.Result{RequeueAfter: time.Minute}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				failures := 0
				s := &stepping{of: func(ctx context.Context, ran func(string) func(context.Context) error) (reconcile.Result, error) {
					plan := delta.Plan(ctx)
					err := errors.Join(
						plan.On(&corev1.ConfigMap{}, "data").Do("data", func(ctx context.Context) error {
							if failures--; failures >= 0 {
								return errors.New("as the test wants it")
							}
							return ran("data")(ctx)
						}),
						plan.On(&corev1.Pod{}).Do("pods", ran("pods")),
					)
					if err != nil {
						return finish(ctx, err)
					}
					return reconcile.Result{}, nil
				}}
				c, err := builder.ControllerManagedBy(w.manager).For(&corev1.ConfigMap{}).Owns(&corev1.Pod{}).Build(s)
				if err != nil {
					t.Fatal(err)
				}
				w.start()
				w.servers[configMap].Add(withValue("1"))
				time.Sleep(time.Hour)
				if got := s.since(); got != "data pods" && got != "data" {
					t.Errorf("when all is new ran %q", got)
				}
				failures = 3
				w.servers[configMap].Modify(withValue("2"))
				time.Sleep(time.Hour)
				if got := s.since(); got != "data" {
					t.Errorf("after three failures ran %q, want the step that failed", got)
				}
				w.servers[pod].Add(newObject(pod, "web-1", "web"))
				time.Sleep(time.Hour)
				if got := s.since(); got != "pods" {
					t.Errorf("after another change ran %q", got)
				}
				for _, status := range builder.LedgerOf(c).Steps() {
					if status.Name == "data" && (status.Failed != 3 || status.Skipped == 0) {
						t.Errorf("counted %+v", status)
					}
				}
			})
		})
	}
}

// aDayOf runs a controller of a new object for a day.
func (w *world) aDayOf(t *testing.T, s *stepping) {
	t.Helper()
	if err := builder.ControllerManagedBy(w.manager).For(&corev1.ConfigMap{}).Complete(s); err != nil {
		t.Fatal(err)
	}
	w.start()
	w.servers[configMap].Add(withValue("1"))
	time.Sleep(24 * time.Hour)
	synctest.Wait()
}

// TestAStepThatTheReconcilerGivesUpIsNotRetried has the reconciler make the error of a step final.
func TestAStepThatTheReconcilerGivesUpIsNotRetried(t *testing.T) {
	final := reconcile.TerminalError(errors.New("for good"))
	for name, c := range map[string]struct {
		returned func(step error) error
		want     int
	}{
		"the error itself":         {reconcile.TerminalError, 1},
		"one around it":            {func(err error) error { return fmt.Errorf("apply: %w", reconcile.TerminalError(err)) }, 1},
		"what is around it":        {func(err error) error { return reconcile.TerminalError(fmt.Errorf("apply: %w", err)) }, 1},
		"it and another one":       {func(err error) error { return reconcile.TerminalError(errors.Join(err, final)) }, 1},
		"another one, beside it":   {func(err error) error { return errors.Join(err, final) }, 2},
		"another one, and said so": {func(err error) error { return fmt.Errorf("apply: %w", errors.Join(final, err)) }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				runs := 0
				s := &stepping{of: func(ctx context.Context, _ func(string) func(context.Context) error) (reconcile.Result, error) {
					plan := delta.Plan(ctx).On(&corev1.ConfigMap{})
					err := plan.Do("apply", func(context.Context) error {
						if runs++; runs > 1 {
							return nil
						}
						return errors.New("for now")
					})
					if err == nil {
						return reconcile.Result{}, nil
					}
					return reconcile.Result{}, c.returned(err)
				}}
				w.aDayOf(t, s)
				if runs != c.want {
					t.Errorf("the step ran %d times in a day, want %d", runs, c.want)
				}
			})
		})
	}
}

// A step that has failed for good does not keep another one from being retried.
func TestAStepIsRetriedBesideOneThatFailedForGood(t *testing.T) {
	for name, c := range map[string]struct {
		second  error
		returns bool // their errors
		want    int
	}{
		"the other one may succeed":              {errors.New("for now"), false, 2},
		"the other one may succeed, and is told": {errors.New("for now"), true, 2},
		"both for good":                          {reconcile.TerminalError(errors.New("for good")), false, 1},
		"both for good, and are told":            {reconcile.TerminalError(errors.New("for good")), true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				runs := 0
				s := &stepping{of: func(ctx context.Context, _ func(string) func(context.Context) error) (reconcile.Result, error) {
					plan := delta.Plan(ctx).On(&corev1.ConfigMap{})
					one := plan.Do("one", func(context.Context) error { return reconcile.TerminalError(errors.New("for good")) })
					two := plan.Do("two", func(context.Context) error {
						if runs++; runs > 1 {
							return nil
						}
						return c.second
					})
					if c.returns {
						return reconcile.Result{}, errors.Join(one, two)
					}
					return reconcile.Result{}, nil
				}}
				w.aDayOf(t, s)
				if runs != c.want {
					t.Errorf("the second step ran %d times in a day, want %d", runs, c.want)
				}
			})
		})
	}
}

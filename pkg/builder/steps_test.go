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

// The reconciler makes the error of a step final, or another step has failed for good, which keeps no step from being
// retried.
func TestWhichStepsAreRetried(t *testing.T) {
	forNow, forGood := errors.New("for now"), reconcile.TerminalError(errors.New("for good"))
	itself := func(err error) error { return err }
	kept := func(error) error { return nil }
	for name, c := range map[string]struct {
		beside   bool // another step, which fails for good
		fails    error
		returned func(error) error
		want     int
	}{
		"the error itself":         {false, forNow, reconcile.TerminalError, 1},
		"one around it":            {false, forNow, func(err error) error { return fmt.Errorf("apply: %w", reconcile.TerminalError(err)) }, 1},
		"what is around it":        {false, forNow, func(err error) error { return reconcile.TerminalError(fmt.Errorf("apply: %w", err)) }, 1},
		"it and another one":       {false, forNow, func(err error) error { return reconcile.TerminalError(errors.Join(err, forGood)) }, 1},
		"another one, beside it":   {false, forNow, func(err error) error { return errors.Join(err, forGood) }, 2},
		"another one, and said so": {false, forNow, func(err error) error { return fmt.Errorf("apply: %w", errors.Join(forGood, err)) }, 2},

		"the other one may succeed":              {true, forNow, kept, 2},
		"the other one may succeed, and is told": {true, forNow, itself, 2},
		"both for good":                          {true, forGood, kept, 1},
		"both for good, and are told":            {true, forGood, itself, 1},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				runs := 0
				s := &stepping{of: func(ctx context.Context, _ func(string) func(context.Context) error) (reconcile.Result, error) {
					plan := delta.Plan(ctx).On(&corev1.ConfigMap{})
					var one error
					if c.beside {
						one = plan.Do("one", func(context.Context) error { return forGood })
					}
					err := plan.Do("apply", func(context.Context) error {
						if runs++; runs > 1 {
							return nil
						}
						return c.fails
					})
					switch {
					case c.beside:
						err = errors.Join(one, err)
					case err == nil:
						return reconcile.Result{}, nil
					}
					return reconcile.Result{}, c.returned(err)
				}}
				if err := builder.ControllerManagedBy(w.manager).For(&corev1.ConfigMap{}).Complete(s); err != nil {
					t.Fatal(err)
				}
				w.start()
				w.servers[configMap].Add(withValue("1"))
				time.Sleep(24 * time.Hour)
				synctest.Wait()
				if runs != c.want {
					t.Errorf("the step ran %d times in a day, want %d", runs, c.want)
				}
			})
		})
	}
}

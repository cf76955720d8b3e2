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

// A step is retried until it succeeds, also if the reconciler keeps its error to itself. The reconciler may make the error of a step
// final. That another step has failed for good keeps no step from being retried.
func TestWhichStepsAreRetried(t *testing.T) {
	forNow, forGood := errors.New("for now"), reconcile.TerminalError(errors.New("for good"))
	itself := func(err error) error { return err }
	kept := func(error) error { return nil }
	for name, c := range map[string]struct {
		beside   bool // another step, which fails for good
		fails    error
		returned func(error) error
		want     int
		result   reconcile.Result
		settles  bool // it says that all is settled
	}{
		"it is told":                    {fails: forNow, returned: itself, want: 2},
		"it is kept":                    {fails: forNow, returned: kept, want: 2},
		"it is kept, with RequeueAfter": {fails: forNow, returned: kept, want: 2, result: reconcile.Result{RequeueAfter: time.Minute}},
		"it is kept, with Requeue":      {fails: forNow, returned: kept, want: 2, result: reconcile.Result{Requeue: true}}, //nolint:staticcheck // as long as there is Requeue
		"all is settled":                {fails: forNow, returned: kept, want: 2, settles: true},
		"all is settled, to come later": {fails: forNow, returned: kept, want: 2, settles: true, result: reconcile.Result{RequeueAfter: time.Minute}},

		"the error itself":         {fails: forNow, returned: reconcile.TerminalError, want: 1},
		"one around it":            {fails: forNow, returned: func(err error) error { return fmt.Errorf("apply: %w", reconcile.TerminalError(err)) }, want: 1},
		"what is around it":        {fails: forNow, returned: func(err error) error { return reconcile.TerminalError(fmt.Errorf("apply: %w", err)) }, want: 1},
		"it and another one":       {fails: forNow, returned: func(err error) error { return reconcile.TerminalError(errors.Join(err, forGood)) }, want: 1},
		"another one, beside it":   {fails: forNow, returned: func(err error) error { return errors.Join(err, forGood) }, want: 2},
		"another one, and said so": {fails: forNow, returned: func(err error) error { return fmt.Errorf("apply: %w", errors.Join(forGood, err)) }, want: 2},

		"the other one may succeed":              {beside: true, fails: forNow, returned: kept, want: 2},
		"the other one may succeed, and is told": {beside: true, fails: forNow, returned: itself, want: 2},
		"both for good":                          {beside: true, fails: forGood, returned: kept, want: 1},
		"both for good, and are told":            {beside: true, fails: forGood, returned: itself, want: 1},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				runs, fails := 0, error(nil) // at first all is well
				s := &stepping{of: func(ctx context.Context, _ func(string) func(context.Context) error) (reconcile.Result, error) {
					plan := delta.Plan(ctx).On(&corev1.ConfigMap{})
					if c.settles {
						delta.Settle(ctx)
					}
					var one error
					if c.beside {
						one = plan.Do("one", func(context.Context) error { return forGood })
					}
					err := plan.Do("apply", func(context.Context) error {
						if runs++; runs > 1 {
							return nil
						}
						return fails
					})
					switch {
					case c.beside:
						err = errors.Join(one, err)
					case err == nil:
						return reconcile.Result{}, nil
					}
					return c.result, c.returned(err)
				}}
				must(t, builder.ControllerManagedBy(w.manager).For(&corev1.ConfigMap{}).Complete(s))
				w.start()
				w.servers[configMap].Add(withValue("1"))
				time.Sleep(time.Hour)
				synctest.Wait()
				runs, fails = 0, c.fails
				w.servers[configMap].Modify(withValue("2"))
				time.Sleep(24 * time.Hour)
				synctest.Wait()
				if runs != c.want {
					t.Errorf("the step ran %d times in a day, want %d", runs, c.want)
				}
			})
		})
	}
}

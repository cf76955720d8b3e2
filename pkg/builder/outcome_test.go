package builder_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// configured is a ConfigMap with a value.
func configured(value string) *corev1.ConfigMap {
	obj := newObject(configMap, "c").(*corev1.ConfigMap)
	obj.UID, obj.Data = "uid", map[string]string{"value": value}
	return obj
}

// calls is a reconciler that notes what it is told, and then calls do.
type calls struct {
	told []delta.Changes
	do   func(context.Context) (reconcile.Result, error)
}

func (c *calls) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	c.told = append(c.told, delta.From(ctx))
	if c.do == nil {
		return reconcile.Result{}, nil
	}
	return c.do(ctx)
}

// last is what it was told in the last call.
func (c *calls) last() delta.Changes { return c.told[len(c.told)-1] }

// A return decides about the changes that were told: whether the next call, which has another
// reason, is told them again, and what that call knows.
func TestWhatAReturnMeans(t *testing.T) {
	failed := errors.New("as the test wants it")
	for name, test := range map[string]struct {
		do      func(context.Context) (reconcile.Result, error)
		again   bool // whether the changes are told again
		attempt int
	}{
		"nil":          {func(context.Context) (reconcile.Result, error) { return reconcile.Result{}, nil }, false, 1},
		"RequeueAfter": {func(context.Context) (reconcile.Result, error) { return reconcile.Result{RequeueAfter: time.Hour}, nil }, true, 1},
		"Requeue":      {func(context.Context) (reconcile.Result, error) { return reconcile.Result{Requeue: true}, nil }, true, 1}, //nolint:staticcheck // while there is Requeue
		"error":        {func(context.Context) (reconcile.Result, error) { return reconcile.Result{}, failed }, true, 2},
		"TerminalError": {func(context.Context) (reconcile.Result, error) {
			return reconcile.Result{}, reconcile.TerminalError(failed)
		}, true, 2},
		"error and RequeueAfter": {func(context.Context) (reconcile.Result, error) {
			return reconcile.Result{RequeueAfter: time.Hour}, failed
		}, true, 2},
		"panic": {func(context.Context) (reconcile.Result, error) { panic("as the test wants it") }, true, 2},
		"Settle and RequeueAfter": {func(ctx context.Context) (reconcile.Result, error) {
			delta.Settle(ctx)
			return reconcile.Result{RequeueAfter: time.Hour}, nil
		}, false, 1},
		"Settle and an error": {func(ctx context.Context) (reconcile.Result, error) {
			delta.Settle(ctx)
			return reconcile.Result{}, failed
		}, false, 2},
		"Keep": {func(ctx context.Context) (reconcile.Result, error) { delta.Keep(ctx); return reconcile.Result{}, nil }, true, 1},
		"Settle and Keep": {func(ctx context.Context) (reconcile.Result, error) {
			delta.Settle(ctx)
			delta.Keep(ctx)
			return reconcile.Result{}, nil
		}, true, 1},
		"Keep and Settle": {func(ctx context.Context) (reconcile.Result, error) {
			delta.Keep(ctx)
			delta.Settle(ctx)
			return reconcile.Result{}, nil
		}, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				r := &calls{}
				must(t, builder.ControllerManagedBy(w.manager).For(&corev1.ConfigMap{}).Owns(&corev1.Pod{}).
					WithOptions(controller.Options{RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](time.Minute, time.Minute)}).
					Complete(r))
				w.start()
				w.servers[configMap].Add(configured("1"))
				synctest.Wait()
				r.do = test.do
				w.servers[configMap].Modify(configured("2"))
				synctest.Wait()
				r.do = nil
				before := len(r.told)
				w.servers[pod].Add(newObject(pod, "p", "c")) // before any timer
				synctest.Wait()
				if len(r.told) != before+1 {
					t.Fatalf("called %d times, want once more", len(r.told)-before)
				}
				got := r.last()
				if touched := got.Of(&corev1.ConfigMap{}).Touches("data"); touched != test.again || !got.Complete() || got.Attempt() != test.attempt {
					t.Errorf("told %s at attempt %d; data touched: %t, want %t", got, got.Attempt(), touched, test.again)
				}
				time.Sleep(2 * time.Hour)
				w.servers[pod].Modify(newObject(pod, "p", "c"))
				synctest.Wait()
				if got := r.last(); got.Of(&corev1.ConfigMap{}).Touches("data") || !got.Complete() || got.Attempt() != 1 {
					t.Errorf("after the success told %s", got)
				}
			})
		})
	}
}

// The ledger sees a request that was added without a source of ours, also with a user's
// queue. A retry by the controller itself does not count as such a request.
func TestNobodyGetsPastTheLedger(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var theirs queue
		r := &calls{}
		c, err := builder.ControllerManagedBy(w.manager).For(&corev1.ConfigMap{}).
			WithOptions(controller.Options{
				NeedLeaderElection: new(false),
				NewQueue: func(_ string, limiter workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
					return workqueue.NewTypedRateLimitingQueue(limiter)
				},
			}).Build(r)
		must(t, err)
		if elected, ok := c.(interface{ NeedLeaderElection() bool }); !ok || elected.NeedLeaderElection() {
			t.Error("the controller does not say that it needs no leader")
		}
		must(t, c.Watch(ctrlsource.Func(func(_ context.Context, q queue) error { theirs = q; return nil })))
		must(t, c.Watch(ctrlsource.Kind(w.manager.cache, &corev1.Pod{}, handler.TypedEnqueueRequestsFromMapFunc(
			func(context.Context, *corev1.Pod) []reconcile.Request { return []reconcile.Request{named("c")} }))))
		w.start()
		w.servers[configMap].Add(configured("1"))
		time.Sleep(10 * time.Minute)
		for name, add := range map[string]func(){
			"Add":            func() { theirs.Add(named("c")) },
			"AddAfter":       func() { theirs.AddAfter(named("c"), time.Minute) },
			"AddRateLimited": func() { theirs.AddRateLimited(named("c")) },
			"their source":   func() { w.servers[pod].Add(newObject(pod, "p")) },
		} {
			add()
			time.Sleep(10 * time.Minute)
			synctest.Wait()
			got := r.last()
			if !got.Has(delta.External) || !got.Touches("data") || got.Of(&corev1.ConfigMap{}).Complete() {
				t.Errorf("%s: told %s", name, got)
			}
		}
		fail := true
		r.do = func(context.Context) (reconcile.Result, error) {
			if fail {
				fail = false
				return reconcile.Result{}, errors.New("as the test wants it")
			}
			return reconcile.Result{}, nil
		}
		before := len(r.told)
		w.servers[configMap].Modify(configured("2"))
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if since := r.told[before:]; len(since) != 2 || slices.ContainsFunc(since, func(c delta.Changes) bool { return c.Has(delta.External) }) {
			t.Errorf("after an error told %s", since)
		}
	})
}

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

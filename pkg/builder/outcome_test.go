package builder_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/workqueue"
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

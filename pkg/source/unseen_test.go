package source_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	ledgers "github.com/delta-runtime/delta-runtime/internal/ledger"
	"github.com/delta-runtime/delta-runtime/internal/testing/informers"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// take takes the changes of a request, like a worker that succeeds at once.
func take(ledger *delta.Ledger[request], name string) delta.Changes {
	defer ledger.Clerk().Settle(asked(name), ledgers.Succeeded)
	return ledger.Clerk().Take(asked(name))
}

// pinned is a pod with a node, which is in its spec.
func pinned(version, node string) *podObject {
	p := pod("web", version)
	p.Spec.NodeName = node
	return p
}

// A change that a predicate holds back is told with the next event that it lets through,
// because the reconciler may have read the state before it.
func TestWhatAPredicateHoldsBackIsTouchedLater(t *testing.T) {
	inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
		pods := newInformer(server)
		server.Add(pinned("1", "a"))
		run(pods.RunWithContext)
		ledger := delta.NewLedger[request](delta.LedgerOptions{})
		k := ledgered(holding(pods), ledger, forPods())
		k.Predicates = []predicate.TypedPredicate[*podObject]{predicate.TypedFuncs[*podObject]{
			UpdateFunc: func(e event.TypedUpdateEvent[*podObject]) bool {
				return e.ObjectOld.Labels["version"] != e.ObjectNew.Labels["version"]
			},
		}}
		startedSynced(t, k, newQueue(t))
		take(ledger, "web")
		server.Modify(pinned("1", "b"))
		server.Modify(pinned("1", "a"))
		server.Modify(pinned("2", "a"))
		synctest.Wait()
		if got := take(ledger, "web"); !got.Complete() || !got.Touches("spec") || !got.Touches("metadata.labels") || got.Touches("status") {
			t.Errorf("a node that was set and undone is missing in %s", got)
		}
		server.Modify(pinned("3", "a"))
		synctest.Wait()
		if got := take(ledger, "web"); !got.Complete() || got.Touches("spec") || !got.Touches("metadata.labels") {
			t.Errorf("the node has been dealt with, and is told again in %s", got)
		}
	})
}

// An object may change while it is not for a request. When it is for the request again, the
// request is not told that nothing has changed.
func TestAnObjectThatComesBackToARequestIsTouched(t *testing.T) {
	inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
		pods := newInformer(server)
		server.Add(pinned("a", "one"))
		run(pods.RunWithContext)
		ledger := delta.NewLedger[request](delta.LedgerOptions{})
		startedSynced(t, ledgered(holding(pods), ledger, handler.TypedEnqueueRequestsFromMapFunc(
			func(_ context.Context, p *podObject) []request { return []request{asked(p.Labels["version"])} },
		)), newQueue(t))
		take(ledger, "a")
		for _, p := range []*podObject{pinned("b", "one"), pinned("b", "two"), pinned("a", "two")} {
			server.Modify(p)
			synctest.Wait()
			if p.Labels["version"] == "b" {
				take(ledger, "a")
			}
		}
		if got := take(ledger, "a"); !got.Touches("spec") {
			t.Errorf("the node has changed since the request saw it, and is missing in %s", got)
		}
		server.Modify(pinned("a", "two"))
		synctest.Wait()
		if got := take(ledger, "a"); !got.Complete() || got.Touches("spec") {
			t.Errorf("nothing has changed, and the changes are %s", got)
		}
	})
}

// An event at which a handler panics, or that has an object of another type, may have been
// for any request.
func TestAPanicOfAHandlerIsAGap(t *testing.T) {
	outlivePanics(t)
	reportErrorsAtOnce(t)
	inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
		pods := newInformer(server)
		if err := pods.SetTransform(func(obj any) (any, error) {
			if p := obj.(*podObject); p.Labels["version"] == "odd" {
				return &corev1.Secret{ObjectMeta: p.ObjectMeta}, nil
			}
			return obj, nil
		}); err != nil {
			t.Fatal(err)
		}
		server.Add(pod("web", "1"))
		run(pods.RunWithContext)
		ledger := delta.NewLedger[request](delta.LedgerOptions{})
		startedSynced(t, ledgered(holding(pods), ledger, funcs{
			UpdateFunc: func(_ context.Context, e event.TypedUpdateEvent[*podObject], q queue) {
				if e.ObjectNew.Labels["version"] == "panic" {
					panic("as the test wants it")
				}
				q.Add(asked("web"))
			},
		}), newQueue(t))
		take(ledger, "web")
		for _, step := range []struct {
			do       func()
			complete bool
		}{
			{func() { server.Modify(pod("web", "2")) }, true},
			{func() { server.Modify(pod("web", "3")) }, true},
			{func() { server.Modify(pod("web", "panic")); server.Modify(pod("web", "4")) }, false},
			{func() { server.Modify(pod("web", "5")) }, true},
			{func() {
				server.Modify(pod("web", "odd"))
				server.Modify(pod("web", "6"))
				server.Modify(pod("web", "7"))
			}, false},
			{func() { server.Modify(pod("web", "8")) }, true},
		} {
			step.do()
			time.Sleep(time.Minute)
			if got := take(ledger, "web"); got.Complete() != step.complete {
				t.Errorf("Complete of %s is %t", got, got.Complete())
			}
		}
	})
}

// A panic does not affect the memory of other objects: their next change touches only the
// fields that it changed.
func TestAPanicOfAHandlerLeavesOtherObjects(t *testing.T) {
	outlivePanics(t)
	reportErrorsAtOnce(t)
	inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
		pods := newInformer(server)
		server.Add(pod("web", "1"))
		server.Add(pod("db", "1"))
		run(pods.RunWithContext)
		ledger := delta.NewLedger[request](delta.LedgerOptions{})
		startedSynced(t, ledgered(holding(pods), ledger, funcs{
			CreateFunc: func(_ context.Context, e event.TypedCreateEvent[*podObject], q queue) { q.Add(asked(e.Object.Name)) },
			UpdateFunc: func(_ context.Context, e event.TypedUpdateEvent[*podObject], q queue) {
				if e.ObjectNew.Labels["version"] == "panic" {
					panic("as the test wants it")
				}
				q.Add(asked(e.ObjectNew.Name))
			},
		}), newQueue(t))
		take(ledger, "db")
		server.Modify(pod("web", "panic"))
		time.Sleep(time.Minute)
		synctest.Wait()
		take(ledger, "db")             // succeeds after the panic
		server.Modify(pod("web", "2")) // the first that is told afterwards
		server.Modify(pod("db", "2"))
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := take(ledger, "db"); !got.Complete() || got.Touches("spec") || !got.Touches("metadata.labels") {
			t.Errorf("only a label of db has changed, and it is told %s, which touches the spec: %t", got, got.Touches("spec"))
		}
	})
}

// exchanged is a cache whose informer for pods is exchanged for another one.
type exchanged struct {
	cache.Cache
	mu  sync.Mutex
	now informers.Informer
}

func (e *exchanged) GetInformer(context.Context, client.Object, ...cache.InformerGetOption) (cache.Informer, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.now, nil
}

func (e *exchanged) exchange(next informers.Informer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.now = next
}

// In TestASuccessBeforeTheNextListIsNotTheEndOfAGap a request succeeds when its informer is
// gone and the next one has not listed yet. Nobody tells the changes in between.
func TestASuccessBeforeTheNextListIsNotTheEndOfAGap(t *testing.T) {
	inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
		ledger := delta.NewLedger[request](delta.LedgerOptions{})
		server.Add(pod("web", "1"))
		first, second := newInformer(server), newInformer(server)
		ctx, remove := context.WithCancel(t.Context())
		run(func(context.Context) { first.RunWithContext(ctx) })
		from := &exchanged{Cache: holding(first), now: first}
		startedSynced(t, ledgered(from, ledger, forPods()), newQueue(t))
		called := func(when string, complete bool) {
			t.Helper()
			ledger.Clerk().Record(asked("other"), delta.Change{Cause: delta.Generic})
			ledger.Clerk().Landed(asked("other"))
			if got := take(ledger, "other"); got.Complete() != complete {
				t.Errorf("%s told %s, want it to be complete: %t", when, got, complete)
			}
		}
		called("at first", false)
		called("before anything is missed", true)
		from.exchange(second)
		remove()
		synctest.Wait()
		called("when the informer is gone", false)
		called("when it is gone for longer", false)
		run(second.RunWithContext)
		time.Sleep(time.Minute)
		called("when the next one has listed", false)
		called("at the end", true)
	})
}

// A source also gets the events after its informer was removed from the cache and another one
// has replaced it. It knows that it has missed something.
func TestASourceFollowsTheNextInformer(t *testing.T) {
	for name, ledger := range map[string]*delta.Ledger[request]{"with a ledger": delta.NewLedger[request](delta.LedgerOptions{}), "without": nil} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
				server.Add(pod("web", "1"))
				first, second := newInformer(server), newInformer(server)
				ctx, remove := context.WithCancel(t.Context())
				run(func(context.Context) { first.RunWithContext(ctx) })
				from := &exchanged{Cache: holding(first), now: first}
				q := newQueue(t)
				startedSynced(t, ledgered(from, ledger, forPods()), q)
				step := func(version string) {
					t.Helper()
					server.Modify(pod("web", version))
					time.Sleep(time.Minute)
					if q.Len() != 1 {
						t.Fatalf("the handler was not told of version %s", version)
					}
					item, _ := q.Get()
					q.Done(item)
				}
				step("2")
				if ledger != nil {
					take(ledger, "web")
				}
				from.exchange(second)
				remove()
				synctest.Wait()
				run(second.RunWithContext)
				step("3")
				if ledger == nil {
					return
				}
				if got := take(ledger, "web"); got.Complete() {
					t.Errorf("the informer was removed meanwhile, and these changes are complete: %s", got)
				}
				step("4")
				if got := take(ledger, "web"); !got.Complete() || got.Len() != 1 {
					t.Errorf("after the next success told %s", got)
				}
			})
		})
	}
}

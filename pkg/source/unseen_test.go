package source_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"

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

// An event at which a handler panics, or that has an object of another type, may have been
// for any request.
func TestAPanicOfAHandlerIsAGap(t *testing.T) {
	outlivePanics(t)
	reportErrorsAtOnce(t)
	inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
		pods := newInformer(server)
		must(t, pods.SetTransform(func(obj any) (any, error) {
			if p := obj.(*podObject); p.Labels["version"] == "odd" {
				return &corev1.Secret{ObjectMeta: p.ObjectMeta}, nil
			}
			return obj, nil
		}))
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

// held is a handler that waits when it gets an object of version "wait".
type held struct {
	handler.TypedEventHandler[*podObject, request]
	free chan struct{}
}

func (h held) Update(ctx context.Context, e event.TypedUpdateEvent[*podObject], q queue) {
	if e.ObjectNew.Labels["version"] == "wait" {
		<-h.free
	}
	h.TypedEventHandler.Update(ctx, e, q)
}

// A reconciler may have read a state from the server that our watch could not take. If that
// state is undone afterwards, the update that shows the old state again touches everything,
// also if the reconciler has succeeded in between.
func TestAStateThatATransformRefusedIsTouched(t *testing.T) {
	reportErrorsAtOnce(t)
	for name, tt := range map[string]struct {
		tell   handler.TypedEventHandler[*podObject, request]
		behind bool
	}{
		"by key":                             {forPods(), false},
		"by content":                         {held{forPods(), nil}, false},
		"by content, and the handler behind": {held{forPods(), make(chan struct{})}, true},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
				pods := newInformer(server)
				must(t, pods.SetTransform(func(obj any) (any, error) {
					if p := obj.(*podObject); p.Labels["version"] == "bad" {
						return nil, errors.New("as the test wants it")
					}
					return obj, nil
				}))
				server.Add(pinned("1", "a"))
				server.Add(pod("other", "1"))
				run(pods.RunWithContext)
				if h, ok := tt.tell.(held); ok {
					h.free = make(chan struct{}) // a channel of the bubble
					tt.tell = h
				}
				ledger := delta.NewLedger[request](delta.LedgerOptions{})
				startedSynced(t, ledgered(holding(pods), ledger, tt.tell), newQueue(t))
				take(ledger, "web")
				server.Modify(pinned("2", "a"))
				synctest.Wait()
				take(ledger, "web")
				if tt.behind {
					server.Modify(pod("other", "wait"))
					server.Modify(pinned("3", "a"))
					synctest.Wait()
				}
				server.Modify(pinned("bad", "b"))
				synctest.Wait()
				if tt.behind {
					close(tt.tell.(held).free)
					synctest.Wait()
				}
				ledger.Clerk().Record(asked("web"), delta.Change{Cause: delta.Generic})
				ledger.Clerk().Landed(asked("web"))
				if got := take(ledger, "web"); got.Complete() { // a reconciler could read node b from the server now
					t.Fatalf("a refused state does not count as a gap: %s", got)
				}
				for _, step := range []struct {
					version string
					knows   bool
				}{{"4", false}, {"5", true}} {
					server.Modify(pinned(step.version, "a"))
					time.Sleep(time.Minute)
					synctest.Wait()
					got := take(ledger, "web")
					if got.Complete() != step.knows || got.Touches("spec") == step.knows {
						t.Errorf("at version %s it is told %s, which touches the spec: %t", step.version, got, got.Touches("spec"))
					}
					for change := range got.All() {
						if change.Relisted == step.knows {
							t.Errorf("at version %s: %s says that a relist showed it: %t", step.version, change, change.Relisted)
						}
					}
				}
			})
		})
	}
}

package source_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/testing/informers"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/source"
)

// podSources are sources of pods that add a request for each delta.
func podSources(from cache.Cache, ledger *delta.Ledger[request]) map[string]ctrlsource.SyncingSource {
	return map[string]ctrlsource.SyncingSource{
		"kind":   ledgered(from, ledger, forPods()),
		"deltas": recorded{source.NewDeltas(from, &corev1.Pod{}, addForObject, informer.SubscribeOptions{}), ledger},
	}
}

// A cache that has stopped makes no informer any more. A source asks it once.
func TestACacheThatHasStoppedIsNotAskedAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, server api, _ func(func(context.Context))) {
		asked := 0
		ledger := delta.NewLedger[request](delta.LedgerOptions{})
		k := ledgered(&flaky{Cache: holding(newInformer(server)), before: func(context.Context) error {
			asked++
			return observe.ErrCacheStopped
		}}, ledger, forPods())
		started(t, t.Context(), k, newQueue(t))
		time.Sleep(time.Hour)
		synctest.Wait()
		if err := k.WaitForSync(t.Context()); err == nil || !strings.Contains(err.Error(), "the cache has stopped") || asked != 1 {
			t.Errorf("it has asked %d times: %v", asked, err)
		}
		if why := ledger.Status().Blind; why != "" {
			t.Errorf("the ledger knows nothing any more: %s", why)
		}
	})
}

// A source is stopped before its first list, or its cache is. The source ends at once. That says nothing of the others
// of its ledger.
func TestASourceThatIsStoppedEarlyBlindsNobody(t *testing.T) {
	stop := func(i informers.Informer) {
		ended, end := context.WithCancel(context.Background())
		end()
		_ = i.Core().Run(ended)
	}
	for name := range podSources(nil, nil) {
		for when, end := range map[string]func(i informers.Informer, from *leaving, cancel func()){
			"the source":                         func(_ informers.Informer, _ *leaving, cancel func()) { cancel() },
			"the cache":                          func(i informers.Informer, _ *leaving, _ func()) { stop(i) },
			"the cache, before it is subscribed": nil,
		} {
			t.Run(name+", "+when, func(t *testing.T) {
				inBubble(t, func(t *testing.T, server api, _ func(func(context.Context))) {
					ledger := delta.NewLedger[request](delta.LedgerOptions{})
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					i := newInformer(server)
					from := &leaving{exchanged: exchanged{Cache: holding(i), now: i}, next: i}
					if end == nil {
						from.remove = func() { stop(i) }
					}
					s := podSources(from, ledger)[name]
					started(t, ctx, s, newQueue(t))
					time.Sleep(time.Minute)
					if end != nil {
						end(i, from, cancel)
					}
					began := time.Now()
					if err := s.WaitForSync(t.Context()); err == nil || when != "the source" && !errors.Is(err, engine.ErrStopped) || time.Since(began) > 0 {
						t.Errorf("WaitForSync returned %v after %v", err, time.Since(began))
					}
					if why := ledger.Status().Blind; why != "" {
						t.Errorf("the ledger knows nothing any more: %s", why)
					}
				})
			})
		}
	}
}

// A cache stops while a handler is told of the first list.
func TestACacheThatStopsInTheFirstListBlindsNobody(t *testing.T) {
	inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
		server.Add(pod("web", "1"))
		i := newInformer(server)
		ctx, stop := context.WithCancel(t.Context())
		run(func(context.Context) { i.RunWithContext(ctx) })
		ledger, release := delta.NewLedger[request](delta.LedgerOptions{}), make(chan struct{})
		k := ledgered(holding(i), ledger, funcs{CreateFunc: func(context.Context, event.TypedCreateEvent[*podObject], queue) { <-release }})
		started(t, t.Context(), k, newQueue(t))
		synctest.Wait()
		stop()
		synctest.Wait()
		close(release)
		if err := k.WaitForSync(t.Context()); err == nil {
			t.Error("a source whose cache has stopped in the first list says that it is synced")
		}
		if why := ledger.Status().Blind; why != "" {
			t.Errorf("the ledger knows nothing any more: %s", why)
		}
	})
}

// late is a context that has ended. A source syncs while its caller notices that.
type late struct {
	context.Context
	sync func()
}

func (late) Done() <-chan struct{} {
	ended := make(chan struct{})
	close(ended)
	return ended
}

func (l late) Err() error {
	l.sync()
	return context.DeadlineExceeded
}

// A source that has synced goes on, also if a caller's time was up at that very moment: the caller is told that it is synced.
func TestAWaitThatEndsWhenTheSourceSyncsLeavesIt(t *testing.T) {
	inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
		pods, q := newInformer(server), newQueue(t)
		k := ledgered(holding(pods), nil, forPods())
		started(t, t.Context(), k, q)
		synctest.Wait()
		must(t, k.WaitForSync(late{t.Context(), sync.OnceFunc(func() { run(pods.RunWithContext) })}))
		synctest.Wait()
		server.Add(pod("web", "1"))
		if synctest.Wait(); q.Len() != 1 {
			t.Error("the source says that it is synced, and has ended")
		}
	})
}

// keptObject runs a source and its informer until both end, and returns an object that the informer had.
func keptObject(t *testing.T, ledger *delta.Ledger[request]) (of weak.Pointer[corev1.Pod]) {
	t.Helper()
	inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
		ctx, stop := context.WithCancel(t.Context())
		i := newInformer(server)
		server.Add(pod("web", "1"))
		run(func(context.Context) { i.RunWithContext(ctx) })
		k := ledgered(holding(i), ledger, forPods())
		syncedIn(t, ctx, k, newQueue(t))
		of = weak.Make(i.GetStore().List()[0].(*corev1.Pod))
		told(ledger, "web")
		stop()
		synctest.Wait()
	})
	return of
}

// A controller goes on without one of its sources. Nothing holds on to what that source's cache had.
func TestASourceThatHasEndedKeepsNoObjects(t *testing.T) {
	ledger := delta.NewLedger[request](delta.LedgerOptions{})
	of := keptObject(t, ledger)
	for range 3 {
		runtime.GC()
	}
	if of.Value() != nil {
		t.Error("an object is kept")
	}
	runtime.KeepAlive(ledger)
}

// giving is a cache that gives its informer away, and then has none.
type giving struct {
	cache.Cache
	now informers.Informer
}

func (g *giving) GetInformer(ctx context.Context, _ client.Object, _ ...cache.InformerGetOption) (cache.Informer, error) {
	if now := g.now; now != nil {
		g.now = nil
		return now, nil
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func (*giving) WaitForCacheSync(context.Context) bool { return true }

// A source whose informer was removed waits for the next one, perhaps for ever. Meanwhile it keeps nothing of the first.
func TestASourceKeepsNothingOfARemovedInformer(t *testing.T) {
	for name := range podSources(nil, nil) {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
				server.Add(pod("web", "1"))
				var of weak.Pointer[corev1.Pod]
				ledger := delta.NewLedger[request](delta.LedgerOptions{})
				func() {
					i := newInformer(server)
					ctx, remove := context.WithCancel(t.Context())
					defer remove()
					run(func(context.Context) { i.RunWithContext(ctx) })
					s := podSources(&giving{now: i}, ledger)[name]
					startedSynced(t, s, newQueue(t))
					of = weak.Make(i.GetStore().List()[0].(*corev1.Pod))
					told(ledger, "web")
				}()
				synctest.Wait()
				for range 3 {
					runtime.GC()
				}
				if of.Value() != nil {
					t.Error("an object of the removed informer is kept")
				}
			})
		})
	}
}

// leaving is a cache that removes its informer just when a source has got hold of it.
type leaving struct {
	exchanged
	remove func()
	next   informers.Informer
}

func (l *leaving) GetInformer(ctx context.Context, obj client.Object, opts ...cache.InformerGetOption) (cache.Informer, error) {
	found, err := l.exchanged.GetInformer(ctx, obj, opts...)
	if l.remove != nil {
		l.remove()
		l.remove = nil
		l.exchange(l.next)
	}
	return found, err
}

// A source that comes too late to an informer is told by the next one.
func TestASourceFollowsTheNextInformerFromTheStart(t *testing.T) {
	for name := range podSources(nil, nil) {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
				server.Add(pod("web", "1"))
				first, second := newInformer(server), newInformer(server)
				run(second.RunWithContext)
				from := &leaving{exchanged: exchanged{Cache: holding(second), now: first}, next: second, remove: func() {
					ended, end := context.WithCancel(t.Context())
					end()
					_ = first.Core().Run(ended)
				}}
				q := newQueue(t)
				startedSynced(t, podSources(from, nil)[name], q)
				synctest.Wait()
				if q.Len() != 1 {
					t.Errorf("%d requests were made, want 1", q.Len())
				}
			})
		})
	}
}

// stuck is a cache with a kind that can't be listed once the first source has synced.
type stuck struct {
	exchanged
	calls int
}

func (s *stuck) WaitForCacheSync(ctx context.Context) bool {
	if s.calls++; s.calls == 1 {
		return true
	}
	<-ctx.Done()
	return false
}

// A source that goes on with the next informer does not wait for other kinds: it has to
// notice when that informer ends as well, and where the gap ends.
func TestASourceThatGoesOnWaitsForNoOtherKind(t *testing.T) {
	inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
		server.Add(pod("web", "1"))
		server.Add(pod("db", "1"))
		all := []informers.Informer{newInformer(server), newInformer(server), newInformer(server)}
		var remove []context.CancelFunc
		begin := func() {
			ctx, cancel := context.WithCancel(t.Context())
			now := all[len(remove)]
			remove = append(remove, cancel)
			run(func(context.Context) { now.RunWithContext(ctx) })
		}
		begin()
		from := &stuck{exchanged: exchanged{Cache: holding(all[0]), now: all[0]}}
		ledger, q := delta.NewLedger[request](delta.LedgerOptions{}), newQueue(t)
		startedSynced(t, ledgered(from, ledger, forPods()), q)
		asks := func() delta.Changes { // something else asks for web
			ledger.Clerk().Record(asked("web"), delta.Change{Cause: delta.Mapped, Key: delta.Key{Name: "x"}, Op: delta.Updated, Old: pod("x", "1"), New: pod("x", "2")})
			ledger.Clerk().Landed(asked("web"))
			return take(ledger, "web")
		}
		for n := range 2 {
			from.exchange(all[n+1])
			remove[n]()
			synctest.Wait()
			asks() // it succeeds while nobody watches
			begin()
			time.Sleep(time.Hour)
			if got := asks(); got.Complete() {
				t.Errorf("informer %d was removed meanwhile, and %s are said to be complete", n, got)
			}
			for q.Len() > 0 {
				item, _ := q.Get()
				q.Done(item)
			}
			server.Modify(pod("web", string(rune('2'+n))))
			time.Sleep(time.Minute)
			synctest.Wait()
			if q.Len() != 1 {
				t.Errorf("of informer %d %d requests were made, want 1", n+1, q.Len())
			}
		}
		remove[2]()
	})
}

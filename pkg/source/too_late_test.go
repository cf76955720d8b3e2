package source_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/informers"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

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

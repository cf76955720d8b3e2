package source_test

import (
	"context"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/source"
	ourcache "github.com/delta-runtime/delta-runtime/pkg/toolscache"
)

// leaving is a cache that removes its informer just when a source has got hold of it.
type leaving struct {
	exchanged
	remove func()
	next   *ourcache.SharedInformer
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
	for name, over := range map[string]func(cache.Cache) ctrlsource.SyncingSource{
		"kind": func(from cache.Cache) ctrlsource.SyncingSource { return ledgered(from, nil, forPods()) },
		"deltas": func(from cache.Cache) ctrlsource.SyncingSource {
			return source.NewDeltas(from, &corev1.Pod{}, addForObject, informer.SubscribeOptions{})
		},
	} {
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
				s := over(from)
				started(t, t.Context(), s, q)
				if err := s.WaitForSync(t.Context()); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if q.Len() != 1 {
					t.Errorf("%d requests were made, want 1", q.Len())
				}
			})
		})
	}
}

package cache

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/util/workqueue"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	sources "github.com/delta-runtime/delta-runtime/pkg/source"
)

// watched is a server with one object, which counts its open watches.
type watched struct{ open atomic.Int64 }

func (w *watched) answer(r *http.Request) (*http.Response, error) {
	switch query := r.URL.Query(); {
	case query.Has("sendInitialEvents"):
		return refusal(http.StatusBadRequest)(r)
	case query.Get("watch") == "true":
		w.open.Add(1)
		context.AfterFunc(r.Context(), func() { w.open.Add(-1) })
		return respond(http.StatusOK, &slowBody{ctx: r.Context()}), nil
	default:
		return respond(http.StatusOK, encode(listOfOne(r, 1, ""))), nil
	}
}

// wrapped is a cache of a user's around ours.
type wrapped struct{ crcache.Cache }

// secretSources are sources of Secrets, which add a request for each delta.
func secretSources(from crcache.Cache) map[string]ctrlsource.SyncingSource {
	add := func(_ context.Context, d delta.Delta[client.Object], q workqueue.TypedRateLimitingInterface[reconcile.Request]) {
		q.Add(reconcile.Request{NamespacedName: client.ObjectKey(d.Key)})
	}
	return map[string]ctrlsource.SyncingSource{
		"kind":   sources.NewKind(from, &corev1.Secret{}, &handler.TypedEnqueueRequestForObject[*corev1.Secret]{}),
		"deltas": sources.NewDeltas(from, client.Object(&corev1.Secret{}), add, informer.SubscribeOptions{}),
	}
}

// TestARemovedInformerStaysAwayFromItsSource removes the informer of a source that lives. Its watch has to end, until somebody
// else asks for the kind.
func TestARemovedInformerStaysAwayFromItsSource(t *testing.T) {
	for _, wrap := range []func(crcache.Cache) crcache.Cache{
		func(c crcache.Cache) crcache.Cache { return c },
		func(c crcache.Cache) crcache.Cache { return wrapped{c} },
	} {
		for name := range secretSources(nil) {
			t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { removeUnder(t, name, wrap) }) })
		}
	}
}

func removeUnder(t *testing.T, name string, wrap func(crcache.Cache) crcache.Cache) {
	t.Helper()
	server := &watched{}
	c := newCacheOver(t, answers{"secrets": server.answer}, fakeMapper(), Options{})
	stop := run(t, c)
	ctx, cancel := context.WithCancel(t.Context())
	defer func() { cancel(); stop() }()
	q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer q.ShutDown()
	s := secretSources(wrap(c))[name]
	must(t, s.Start(ctx, q))
	must(t, s.WaitForSync(ctx))
	later := func(what string, open int64, told int) {
		t.Helper()
		time.Sleep(time.Hour)
		synctest.Wait()
		if server.open.Load() != open || q.Len() != told {
			t.Errorf("%s: %d watches are open, want %d; %d requests, want %d", what, server.open.Load(), open, q.Len(), told)
		}
		for q.Len() > 0 {
			item, _ := q.Get()
			q.Done(item)
		}
	}
	remove := func() {
		t.Helper()
		if err := c.RemoveInformer(ctx, &corev1.Secret{}); err != nil {
			t.Error(err)
		}
	}
	later("at first", 1, 1)
	remove()
	later("removed", 0, 0)
	if err := c.List(ctx, &corev1.SecretList{}); err != nil {
		t.Error(err)
	}
	later("asked for by somebody else", 1, 1)
	remove()
	if err := c.List(ctx, &corev1.SecretList{}); err != nil {
		t.Error(err)
	}
	remove() // when the source has got hold of the second one, or before
	time.Sleep(time.Hour)
	if server.open.Load() != 0 || c.Status() != nil {
		t.Errorf("asked for and removed: %d watches are open, and the cache has %+v", server.open.Load(), c.Status())
	}
}

// TestASourceEndsWithItsCache stops a cache whose server does not know the kind.
func TestASourceEndsWithItsCache(t *testing.T) {
	for name := range secretSources(nil) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCacheOver(t, answers{}, meta.NewDefaultRESTMapper(nil), Options{})
				stop := run(t, c)
				q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
				defer q.ShutDown()
				s := secretSources(c)[name]
				must(t, s.Start(t.Context(), q))
				time.Sleep(time.Minute)
				stop()
				stopped := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				if err := s.WaitForSync(ctx); !errors.Is(err, errStopped) || time.Since(stopped) > 0 {
					t.Errorf("the cache has stopped, and after %v WaitForSync returned %v", time.Since(stopped), err)
				}
			})
		})
	}
}

// A kind that was removed while it was made is not run by a cache that is about to end.
func TestARemovedKindIsNotRunByACacheThatEnds(t *testing.T) {
	c := newCache(t, newFakeAPI(t), crcache.Options{}, Options{})
	c.phase, c.group = running, lifecycle.New(t.Context())
	c.group.Stop()
	k, _ := c.claim(kindID{gvk: podKind, form: typedForm})
	c.remove(k)
	c.run(k)
	if k.running != nil {
		t.Error("it runs")
	}
}

// An informer that is made again lists nothing older than what the one before has seen.
func TestAnInformerThatIsMadeAgainDoesNotGoBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var asked []string
		listed := func(r *http.Request) (*http.Response, error) {
			query := r.URL.Query()
			switch {
			case query.Has("sendInitialEvents"):
				return refusal(http.StatusBadRequest)(r)
			case query.Get("watch") == "true":
				return silence(r)
			}
			mu.Lock()
			asked = append(asked, query.Get("resourceVersion"))
			mu.Unlock()
			return respond(http.StatusOK, encode(listOfOne(r, 1, ""))), nil
		}
		c := newCacheOver(t, answers{"secrets": listed}, newMapper(), Options{})
		stop := run(t, c)
		synctest.Wait()
		for range 2 {
			informerOf(t, c, &corev1.Secret{})
			must(t, c.RemoveInformer(t.Context(), &corev1.Secret{}))
			synctest.Wait()
		}
		stop()
		if len(asked) != 2 || asked[0] != "0" || asked[1] != "2" {
			t.Errorf("the lists are from %q, want the second from the version of the first", asked)
		}
	})
}

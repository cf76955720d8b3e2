package cache

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
)

// In TestAKindThatIsNotThereIsNoPartOfTheCache a caller asks for a kind. At first the server
// does not answer whether it has the kind, and then it says that it has not. A second caller
// waits for the cache because of other kinds, and has to be told that the cache has synced.
func TestAKindThatIsNotThereIsNoPartOfTheCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mapper := newSlowMapper()
		c := newCacheOver(t, answers{}, mapper, Options{})
		run(t, c)
		asking := asked(t, func(ctx context.Context) error {
			_, err := c.GetInformer(ctx, &corev1.Secret{})
			return err
		})
		synctest.Wait() // the caller waits for the mapper, and the kind is not complete
		waiting := asked(t, func(ctx context.Context) error {
			if !c.WaitForCacheSync(ctx) {
				return errors.New("the cache has not synced")
			}
			return nil
		})
		synctest.Wait()
		mapper.answer(&meta.NoKindMatchError{GroupKind: schema.GroupKind{Kind: "Secret"}})
		if err := <-waiting; err != nil {
			t.Errorf("waiting while a kind turns out to be missing: %v", err)
		}
		if err := <-asking; !meta.IsNoMatchError(err) {
			t.Errorf("asking for the missing kind returns %v", err)
		}
		if !c.WaitForCacheSync(t.Context()) {
			t.Error("the cache has not synced although the missing kind does not belong to it")
		}
	})
}

// In TestAServerThatDoesNotAnswerHoldsUpNobody the server does not say what resource a kind
// is. A caller that asks for the kind has to give up when its context ends. More patient
// callers get the kind when the server answers.
func TestAServerThatDoesNotAnswerHoldsUpNobody(t *testing.T) {
	asks := map[string]func(context.Context, *Cache) error{
		"GetInformer": func(ctx context.Context, c *Cache) error { _, err := c.GetInformer(ctx, &corev1.Secret{}); return err },
		"Get": func(ctx context.Context, c *Cache) error {
			return client.IgnoreNotFound(c.Get(ctx, client.ObjectKey{Namespace: "red", Name: "a"}, &corev1.Secret{}))
		},
		"List":       func(ctx context.Context, c *Cache) error { return c.List(ctx, &corev1.SecretList{}) },
		"IndexField": indexSecrets(),
	}
	for name, ask := range asks {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				mapper := newSlowMapper()
				c := newCacheOver(t, answers{"secrets": emptyList}, mapper, Options{})
				run(t, c)
				impatient, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				first := asked(t, func(context.Context) error { return ask(impatient, c) })
				synctest.Wait() // the first caller makes the kind
				patient := asked(t, func(ctx context.Context) error { return ask(ctx, c) })
				if err := <-first; !apierrors.IsTimeout(err) {
					t.Errorf("giving up after a second returns %v", err)
				}
				mapper.answer(nil)
				if err := <-patient; err != nil {
					t.Errorf("a patient caller gets %v", err)
				}
			})
		})
	}
}

// indexSecrets adds an index with another name at each call.
func indexSecrets() func(context.Context, *Cache) error {
	var number atomic.Int64
	return func(ctx context.Context, c *Cache) error {
		return c.IndexField(ctx, &corev1.Secret{}, fmt.Sprint("field", number.Add(1)), func(client.Object) []string { return nil })
	}
}

// valueKey is the key for a context with a value. Such a context ends with its parent.
type valueKey struct{}

// startOwned starts a cache, as a manager does, with a context that its starter has, too.
func startOwned(t *testing.T, c *Cache) (ctx context.Context, end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	group := lifecycle.New(ctx)
	group.Go("cache", func(context.Context) error { return c.Start(ctx) })
	return ctx, func() {
		cancel()
		if err := group.Wait(); err != nil {
			t.Error(err)
		}
	}
}

// TestWhoeverStartsTheCacheIsNotKeptWaiting waits for kinds that can't sync, with the context
// of the cache. controller-runtime's manager does that, and it does not end its context
// before the wait ends. So this wait has to end by itself. A wait with another context goes
// on.
func TestWhoeverStartsTheCacheIsNotKeptWaiting(t *testing.T) {
	for name, server := range map[string]answer{
		"a list that is not answered":   silence,
		"a kind that is forbidden":      refusal(http.StatusForbidden),
		"a server that is broken":       refusal(http.StatusInternalServerError),
		"pages that come to a halt":     pages(3, time.Second, silence),
		"a stream that comes to a halt": stream(3, time.Second, false),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var logged lines
				c := newCacheOver(t, answers{"secrets": server, "configmaps": emptyList}, newMapper(), Options{Log: logged.logger()})
				must(t, c.IndexField(t.Context(), &corev1.Secret{}, "f", func(client.Object) []string { return nil }))
				ctx, end := startOwned(t, c)
				begin := time.Now()
				if !c.WaitForCacheSync(context.WithValue(ctx, valueKey{}, 1)) {
					t.Error("the wait failed")
				}
				if took := time.Since(begin); took < patience || took > 3*patience {
					t.Errorf("the wait took %v, want some %v", took, patience)
				}
				if said := logged.String(); !strings.Contains(said, "v1 Secret") {
					t.Errorf("the log says %q, want it to name the kind that has not synced", said)
				}
				strict, done := context.WithTimeout(ctx, time.Hour)
				defer done()
				if c.WaitForCacheSync(strict) {
					t.Error("a wait with another context says that the cache has synced")
				}
				end()
			})
		})
	}
}

// TestWhoeverStartsTheCacheWaitsForWhatGetsOn checks that the wait does not end while a first
// list makes progress, or while kinds wait for their turn behind it. One that brings nothing
// for a while has others go on beside it.
func TestWhoeverStartsTheCacheWaitsForWhatGetsOn(t *testing.T) {
	const pause, flow = patience - time.Second, 100 * time.Millisecond
	for name, tt := range map[string]struct {
		list answer
		took time.Duration // by both, at least
	}{
		"pages":             {pages(10, pause, emptyList), 10 * pause},
		"stream":            {stream(10, pause, true), 10 * pause},
		"pages that flow":   {pages(400, flow, emptyList), 2 * 400 * flow},
		"stream that flows": {stream(400, flow, true), 2 * 400 * flow},
	} {
		slow := tt.list
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCacheOver(t, answers{"secrets": slow, "configmaps": slow}, newMapper(), Options{ListsAtOnce: 1})
				for _, obj := range []client.Object{&corev1.Secret{}, configMaps} {
					informerOf(t, c, obj)
				}
				ctx, end := startOwned(t, c)
				begin := time.Now()
				if !c.WaitForCacheSync(ctx) {
					t.Error("the wait failed")
				}
				if took := time.Since(begin); took < tt.took {
					t.Errorf("the wait ended after %v, while lists were still coming", took)
				}
				for _, s := range c.Status() {
					if !s.Synced {
						t.Errorf("the wait ended without %s: %s", s.Name, s.Why)
					}
				}
				end()
			})
		})
	}
}

// TestAContextThatHasEndedBeforeTheStart asks for an informer with it. As in controller-runtime there is one.
func TestAContextThatHasEndedBeforeTheStart(t *testing.T) {
	c := newCache(t, newFakeAPI(t), crcache.Options{}, Options{})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if i, err := c.GetInformer(ended, configMaps); err != nil || i.HasSynced() {
		t.Errorf("got %v, %v", i, err)
	}
}

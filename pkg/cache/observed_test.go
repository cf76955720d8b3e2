package cache

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/managed"
)

// TestEachCacheHasARuntime makes two caches with the same options, and runs one of them. Its Runtime shows it
// while it runs. One that only embeds the cache knows the Runtime, and one that hides it does not.
func TestEachCacheHasARuntime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mine, other := newCacheOver(t, answers{}, newMapper(), Options{}), newCacheOver(t, answers{}, newMapper(), Options{})
		of := managed.Of(mine)
		if of == nil || of == managed.Of(other) || of != managed.Of(struct{ *Cache }{mine}) || managed.Of(struct{ crcache.Cache }{mine}) != nil {
			t.Fatalf("the Runtimes are %p and %p", of, managed.Of(other))
		}
		if of.Cache() != nil {
			t.Error("the cache is shown before it runs")
		}
		stop := run(t, mine)
		synctest.Wait()
		if shown, ok := of.Cache().(observed); !ok || shown.Cache != mine {
			t.Errorf("while the cache runs, %v is shown", of.Cache())
		}
		if other.runtime.Cache() != nil {
			t.Error("a cache is shown that does not run")
		}
		stop()
		if of.Cache() != nil {
			t.Error("the cache is shown after its end")
		}
	})
}

// TestGapsOfAllKindsOnlyGrow has a transform refuse what it is given of one kind of two, and removes both.
func TestGapsOfAllKindsOnlyGrow(t *testing.T) {
	f := newFakeAPI(t, configMap("red", "a"), &corev1.Secret{ObjectMeta: configMap("red", "b").ObjectMeta})
	c := newCache(t, f, crcache.Options{DefaultTransform: func(obj any) (any, error) {
		if _, ok := obj.(*corev1.Secret); ok {
			return nil, errors.New("no Secrets here")
		}
		return obj, nil
	}}, Options{})
	start(t, c)
	seen := uint64(0)
	for _, step := range []struct {
		what  string
		do    func() error
		grows bool
	}{
		{"a kind comes", func() error { return get(t, c, "red", "a") }, false},
		{"a kind comes whose object is refused", func() error {
			_, err := c.GetInformer(t.Context(), new(corev1.Secret))
			return err
		}, true},
		{"that kind goes", func() error { return c.RemoveInformer(t.Context(), new(corev1.Secret)) }, true},
		{"the other goes", func() error { return c.RemoveInformer(t.Context(), new(corev1.ConfigMap)) }, true},
		{"the other comes again", func() error { return get(t, c, "red", "a") }, false},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.what, err)
		}
		if n := (observed{c}).Gaps(); n < seen || n > seen != step.grows {
			t.Errorf("when %s there are %d gaps after %d, want them to grow: %t", step.what, n, seen, step.grows)
		} else {
			seen = n
		}
	}
}

// TestAKindThatCantBeMadeIsTold asks for a kind that the server does not have at first. Later the server says nothing, and at last it
// has all kinds.
func TestAKindThatCantBeMadeIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newDenyingMapper()
		c := newCacheOver(t, answers{"secrets": emptyList, "configmaps": emptyList}, m, Options{})
		run(t, c)
		ask := func(obj client.Object) {
			asked(t, func(ctx context.Context) error {
				_, err := c.GetInformer(ctx, obj)
				return err
			})
			synctest.Wait()
		}
		began := time.Now()
		told := func(want string) {
			t.Helper()
			var all []string
			for _, u := range (observed{c}).Unmade() {
				all = append(all, fmt.Sprintf("%s %s for %v: %v", u.Name, u.Status.State, time.Since(u.Status.Since), u.Status.LastError))
			}
			if got := strings.Join(all, "; "); got != want {
				t.Errorf("after %v there is %q, want %q", time.Since(began), got, want)
			}
		}
		ask(&corev1.Secret{})
		const missing = `: no matches for kind "Secret" in version "v1"`
		told("v1 Secret Degraded for 0s" + missing)
		time.Sleep(wantedFor / 2)
		ask(&corev1.Secret{})
		ask(&corev1.ConfigMap{})
		told("v1 Secret Degraded for 15s" + missing)
		time.Sleep(wantedFor)
		told("v1 ConfigMap BackingOff for 30s: the API server has not answered yet; v1 Secret Degraded for 45s" + missing)
		m.answer(nil)
		synctest.Wait()
		told("")
	})
	synctest.Test(t, func(t *testing.T) {
		c := newCacheOver(t, answers{}, newDenyingMapper(), Options{})
		run(t, c)
		if _, err := c.GetInformer(t.Context(), &corev1.Secret{}); err == nil || len(observed{c}.Unmade()) != 1 {
			t.Fatalf("%v, and %v is told", err, observed{c}.Unmade())
		}
		time.Sleep(wantedFor)
		if all := (observed{c}).Unmade(); len(all) > 0 {
			t.Errorf("nobody asks for %v any more", all)
		}
	})
}

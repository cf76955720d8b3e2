package cache

import (
	"testing"
	"testing/synctest"

	crcache "sigs.k8s.io/controller-runtime/pkg/cache"

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

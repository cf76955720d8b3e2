package cache

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"

	"github.com/delta-runtime/delta-runtime/internal/lifecycle"
)

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
		ctx, cancel := context.WithCancel(t.Context())
		group := lifecycle.New(ctx)
		group.Go("cache", func(context.Context) error { return c.Start(ctx) })
		synctest.Wait()
		for range 2 {
			if _, err := c.GetInformer(ctx, &corev1.Secret{}); err != nil {
				t.Fatal(err)
			}
			if err := c.RemoveInformer(ctx, &corev1.Secret{}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		cancel()
		_ = group.Wait()
		if len(asked) != 2 || asked[0] != "0" || asked[1] != "2" {
			t.Errorf("the lists are from %q, want the second from the version of the first", asked)
		}
	})
}

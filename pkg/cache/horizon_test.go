package cache

import (
	"net/http"
	"sync"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
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

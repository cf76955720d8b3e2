package cache

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/memory"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// limitedOver returns a cache over a server that is limited to the namespace red, or to these. An empty one is all others.
func limitedOver(t *testing.T, server answers, ours Options, m meta.RESTMapper, namespaces ...string) *Cache {
	t.Helper()
	if len(namespaces) == 0 {
		namespaces = []string{"red"}
	}
	return cacheOver(t, server, crcache.Options{Mapper: m, DefaultNamespaces: in(crcache.Config{}, namespaces...)}, ours)
}

// Somebody reads a kind whose informer another one has made and that is not known yet. The cache starts meanwhile, so the read waits.
func TestAReadIntoWhichTheStartFallsWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newSlowMapper()
		c := newCacheOver(t, answers{"secrets": pages(1, time.Minute, emptyList)}, m, Options{})
		asked(t, func(ctx context.Context) error {
			_, err := c.GetInformer(ctx, &corev1.Secret{})
			return err
		})
		synctest.Wait()
		got := asked(t, func(ctx context.Context) error {
			return c.Get(ctx, client.ObjectKey{Namespace: "red", Name: "none"}, &corev1.Secret{})
		})
		synctest.Wait()
		run(t, c)
		synctest.Wait()
		m.answer(nil)
		if err := <-got; !apierrors.IsNotFound(err) {
			t.Errorf("the read returns %v", err)
		}
	})
}

// A list gives up while it is looked up what the kind is called. The answer comes later, when nobody waits for it: the kind has no
// namespaces.
func TestAKindThatIsFoundWhileNobodyWaitsIsListedAsAWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, spaces := newDenyingMapper(), &corev1.Namespace{}
		slowly := informer.Settings{Lists: informer.PagesOnly, PageTimeout: time.Second, Backoff: informer.Backoff{Initial: time.Minute, Max: time.Minute}}
		c := limitedOver(t, answers{"namespaces": oneNamespace}, Options{ByObject: map[client.Object]KindOptions{spaces: {Missing: WaitForIt, Reflector: slowly}}}, m)
		run(t, c)
		synctest.Wait()
		asked(t, func(ctx context.Context) error { // which waits until it is listed
			_, err := c.GetInformer(ctx, spaces)
			return err
		})
		time.Sleep(10 * time.Second)
		m.answer(nil)
		time.Sleep(10 * time.Minute)
		if scopes := c.Status()[0].Informer.Scopes; len(scopes) != 1 || scopes[0].Namespace != "" {
			t.Errorf("it is listed in %+v", scopes)
		}
	})
}

// A namespace comes back with the settings that it had, and can't be listed any more. The empty rest is not saved as if it were
// all that there is.
func TestANamespaceThatCouldNotBeListedAgainIsNotSaved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hangs atomic.Bool
		dir, c := t.TempDir(), limitedOver(t, answers{"configmaps": func(r *http.Request) (*http.Response, error) {
			if hangs.Load() && strings.Contains(r.URL.Path, "/red/") {
				return silence(r)
			}
			return emptyList(r)
		}}, Options{}, newMapper())
		c.runtime.Memory = memory.New(memory.Options{Dir: dir, Every: time.Hour})
		informerOf(t, c, configMaps)
		stop := run(t, c)
		synctest.Wait()
		must(t, c.AddNamespace(t.Context(), "blue", crcache.Config{}))
		must(t, c.RemoveNamespace(t.Context(), "red", informer.Silently))
		hangs.Store(true)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := c.AddNamespace(ctx, "red", crcache.Config{}); err == nil {
			t.Error("a namespace that can't be listed was added")
		}
		must(t, c.RemoveNamespace(t.Context(), "blue", informer.Silently))
		stop()
		if files, _ := filepath.Glob(filepath.Join(dir, "*.save")); len(files) > 0 {
			t.Errorf("it has saved %q", files)
		}
	})
}

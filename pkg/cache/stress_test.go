package cache

import (
	"context"
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	crtools "k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// TestStartStop starts and stops caches in every order, while informers, handlers
// and namespaces come and go.
func TestStartStop(t *testing.T) {
	f := newFakeAPI(t)
	f.put(configMap("red", "a"))
	f.put(configMap("blue", "a"))
	liveEveryOrder(t, func() thing {
		opts := limitedTo("red")
		opts.HTTPClient = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // so that no idle connection is taken for a leak
		c := newCache(t, f, opts, Options{})
		return thing{
			Run: func(ctx context.Context) { _ = c.Start(ctx) }, // a second Start is refused
			Use: func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				// Any of these may come too late, and then says so.
				if i, err := c.GetInformer(ctx, configMaps); err == nil {
					if h, err := i.AddEventHandler(crtools.ResourceEventHandlerFuncs{}); err == nil {
						_ = i.RemoveEventHandler(h)
					}
				}
				_ = c.List(ctx, &corev1.ConfigMapList{})
				_ = c.AddNamespace(ctx, "blue", crcache.Config{})
				_ = c.RemoveInformer(ctx, configMaps)
				_ = c.List(ctx, &corev1.SecretList{})
				_ = c.RemoveNamespace(ctx, "blue", informer.Silently)
				c.Status()
			},
		}
	})
}

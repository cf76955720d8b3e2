package e2e

import (
	"context"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
)

// kinds are those that followed follows.
var kinds = map[string]client.Object{"v1 ConfigMap": &corev1.ConfigMap{}, "v1 Secret": &corev1.Secret{}, "v1 Namespace": &corev1.Namespace{}}

// followed returns a cache that runs until the test ends, and follows the kinds.
func followed(t *testing.T, plane *controlplane.Plane, ours cache.Options) *cache.Cache {
	t.Helper()
	c, err := cache.NewWithOptions(plane.Config(), crcache.Options{}, ours)
	must(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- c.Start(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the cache ended with: %v", err)
		}
	})
	for name, obj := range kinds {
		if _, err := c.GetInformer(ctx, obj); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	await.Until(t, "all kinds to follow the server", func() bool {
		for _, s := range c.Status() {
			if s.Informer.Reflector.State != "Following" {
				return false
			}
		}
		return true
	})
	return c
}

// TestAServerThatIsFrozenIsNamed stops the API server, which then takes connections and says nothing.
func TestAServerThatIsFrozenIsNamed(t *testing.T) {
	const bound = 20 * time.Second
	plane := controlplane.ForTest(t, controlplane.Options{})
	c := followed(t, plane, cache.Options{StaleAfter: bound})
	frozen := time.Now()
	must(t, plane.SignalAPIServer(syscall.SIGSTOP))
	await.Until(t, "the readiness check to fail", func() bool { return c.Healthz(nil) != nil })
	after := time.Since(frozen)
	t.Logf("the readiness check fails %v after the server froze: %v", after, c.Healthz(nil))
	if after > bound+10*time.Second {
		t.Errorf("the readiness check fails %v after the server froze, and the bound is %v and five seconds", after, bound)
	}
	must(t, plane.SignalAPIServer(syscall.SIGCONT))
	await.Until(t, "the readiness check to pass", func() bool { return c.Healthz(nil) == nil })
}

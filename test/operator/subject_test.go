package operator

import (
	"errors"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/pkg/cache"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// newManagerOfOurs makes a manager whose cache has options that only ours has.
func newManagerOfOurs(t *testing.T, server *rest.Config, options manager.Options, more cache.Options) (manager.Manager, *cache.Cache) {
	t.Helper()
	var c *cache.Cache
	options.NewCache = func(server *rest.Config, options crcache.Options) (crcache.Cache, error) {
		var err error
		if c, err = cache.NewWithOptions(server, options, more); err != nil {
			return nil, err
		}
		return c, nil
	}
	return newManager(t, server, options), c
}

// soon are settings with which the cache looks for a missing kind about every second.
var soon = informer.Settings{Backoff: informer.Backoff{Initial: 200 * time.Millisecond, Max: time.Second}}

// trouble says that a kind is missing or forbidden.
type trouble struct {
	kind  kind
	since time.Time // not earlier
}

// checkDegraded checks that Healthz and Status say that a kind is missing or forbidden, since
// when, why, and what to do.
func checkDegraded(t *testing.T, c *cache.Cache, with trouble, words ...string) {
	t.Helper()
	status := statusOf(t, c, with.kind)
	if at := status.DegradedSince; at.Before(with.since) || at.After(time.Now()) {
		t.Errorf("%s is said to be degraded since %v, want after %v", with.kind.Kind, at, with.since)
	}
	healthz := errors.Join(c.Healthz(nil), c.OptionalHealthz(nil))
	if healthz == nil {
		t.Fatalf("Healthz reports no problem without %s", with.kind.Kind)
	}
	words = append(words, status.Name, "(since "+status.DegradedSince.Format(time.RFC3339)+")")
	for _, word := range words {
		if !strings.Contains(healthz.Error(), word) {
			t.Errorf("Healthz says %q, want %q in it", healthz, word)
		}
		if !strings.Contains(status.Why, word) {
			t.Errorf("Status says %q, want %q in it", status.Why, word)
		}
	}
}

// awaitHealth waits until the cache reports no problem.
func awaitHealth(t *testing.T, c *cache.Cache) {
	t.Helper()
	await.Until(t, "Healthz to report no problem", func() bool { return c.Healthz(nil) == nil && c.OptionalHealthz(nil) == nil })
	for _, s := range c.Status() {
		if !s.Synced || !s.DegradedSince.IsZero() {
			t.Errorf("Healthz reports no problem, but Status has %s synced %t, degraded since %v", s.Name, s.Synced, s.DegradedSince)
		}
	}
}

func statusOf(t *testing.T, c *cache.Cache, k kind) cache.KindStatus {
	t.Helper()
	for _, s := range c.Status() {
		if s.GVK == k.GroupVersionKind {
			return s
		}
	}
	t.Fatalf("Status does not name %s", k.Kind)
	return cache.KindStatus{}
}

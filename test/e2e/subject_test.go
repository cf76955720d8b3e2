package e2e

import (
	"context"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/internal/testing/relay"
	"github.com/delta-runtime/delta-runtime/pkg/toolscache"
)

// resyncPeriod is the period of the one listener that has resyncs.
const resyncPeriod = 10 * time.Second

// subject is an informer of one kind, with its proxy and its listeners.
type subject struct {
	kind     kind
	informer cache.SharedIndexInformer
	proxy    *relay.Relay     // between the informer and the server
	direct   *cache.ListWatch // reaches the server without the proxy
	expired  *expired
	history  *history

	listeners []*listener
	handles   map[*listener]cache.ResourceEventHandlerRegistration
}

func newSubject(t *testing.T, plane *controlplane.Plane, k kind) *subject {
	t.Helper()
	config := plane.Config()
	server, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	s := &subject{
		kind: k, expired: &expired{},
		proxy:   relay.New(t, server.Host),
		history: follow(t, plane.EtcdURL(), k.prefix),
		handles: map[*listener]cache.ResourceEventHandlerRegistration{},
	}
	if s.direct, _, err = k.informs(config, controlplane.HTTPClientForTest(t, config)); err != nil {
		t.Fatal(err)
	}
	config.Host = "https://" + s.proxy.Address()
	lw, client, err := k.informs(config, controlplane.HTTPClientForTest(t, config))
	if err != nil {
		t.Fatal(err)
	}
	s.informer = toolscache.NewSharedIndexInformer(
		cache.ToListWatcherWithWatchListSemantics(s.expired.counted(lw), client), k.sample, resyncPeriod,
		cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc, "owner": byOwner})
	return s
}

// run starts the informer, which ends with the test.
func (s *subject) run(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { s.informer.RunWithContext(ctx) })
	t.Cleanup(func() {
		stop()
		running.Wait()
	})
}

// listen adds a listener. resync is 0 if it has no resyncs.
func (s *subject) listen(t *testing.T, name string, pause, resync time.Duration) {
	t.Helper()
	l := newListener(name, s.informer.GetStore(), pause)
	handle, err := s.informer.AddEventHandlerWithResyncPeriod(l, resync)
	if err != nil {
		t.Fatal(err)
	}
	s.listeners = append(s.listeners, l)
	s.handles[l] = handle
}

// dismiss removes the listener with that name.
func (s *subject) dismiss(t *testing.T, name string) {
	t.Helper()
	l := s.named(name)
	if err := s.informer.RemoveEventHandler(s.handles[l]); err != nil {
		t.Fatal(err)
	}
	l.left = true
}

func (s *subject) named(name string) *listener {
	return s.listeners[slices.IndexFunc(s.listeners, func(l *listener) bool { return l.name == name })]
}

// present returns the listeners that have not left.
func (s *subject) present() []*listener {
	return slices.DeleteFunc(slices.Clone(s.listeners), func(l *listener) bool { return l.left })
}

// waitKnown waits until all present listeners know these objects.
func (s *subject) waitKnown(t *testing.T, keys []cache.ObjectName) {
	t.Helper()
	await.Until(t, "the listeners of "+s.kind.name+" to know what was written", func() bool {
		return !slices.ContainsFunc(s.present(), func(l *listener) bool { return !l.knows(keys) })
	})
}

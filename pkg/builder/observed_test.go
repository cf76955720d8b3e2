package builder_test

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// TestAControllerThatSharesNothingSaysSo builds two controllers for each manager. If neither the manager's cache nor
// its client knows the Runtime, each controller says so once, and names the cache.
func TestAControllerThatSharesNothingSaysSo(t *testing.T) {
	knows := managed.New()
	for name, c := range map[string]struct {
		cache, client bool // that they know the Runtime
		want          int
	}{
		"both know": {true, true, 0}, "the cache is wrapped": {false, true, 0}, "the client is wrapped": {true, false, 0}, "both are wrapped": {false, false, 2},
	} {
		t.Run(name, func(t *testing.T) {
			m := newFakeManager(&informertest.FakeInformers{})
			m.client = struct{ client.Client }{}
			if c.cache {
				m.cache = shown{m.cache, knows}
			}
			if c.client {
				m.client = knowing{of: knows}
			}
			lines := loggingManager(m)
			for _, controller := range []string{"first", "second"} {
				must(t, builder.ControllerManagedBy(m).Named(controller).For(&corev1.ConfigMap{}).Complete(noop))
			}
			must(t, builder.ControllerManagedBy(m).Named("without").For(&corev1.ConfigMap{}).WithoutLedger().Complete(noop))
			got := lines()
			if len(got) != c.want {
				t.Errorf("the log says %q, want %d lines", got, c.want)
			}
			for _, line := range got {
				if !strings.Contains(line, `"cache"="*informertest.FakeInformers"`) || !strings.Contains(line, "an inspector does not show this controller") {
					t.Errorf("the log says %q", line)
				}
			}
		})
	}
}

// served is a manager with a server, which answers nothing and counts what it is asked.
type served struct {
	*fakeManager
	asked *atomic.Int64
}

func (s served) GetConfig() *rest.Config     { return &rest.Config{Host: "http://server"} }
func (s served) GetHTTPClient() *http.Client { return &http.Client{Transport: s} }

func (s served) RoundTrip(*http.Request) (*http.Response, error) {
	s.asked.Add(1)
	return nil, errors.New("nothing is known")
}

// TestControllersShareSchemas makes the ledgers of two controllers of each manager, and asks each for a difference.
// The server is asked once for all controllers that know the Runtime, and once for each that does not.
func TestControllersShareSchemas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in which an error does not become too old
		widget := untypedOf(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"})
		mine, other := newFakeManager(&informertest.FakeInformers{}), newFakeManager(&informertest.FakeInformers{})
		foreign := newFakeManager(&informertest.FakeInformers{})
		foreign.client = nil
		for _, c := range []struct {
			m    *fakeManager
			want int64
		}{{mine, 1}, {other, 1}, {foreign, 2}} {
			m := served{c.m, &atomic.Int64{}}
			for range 2 {
				opts := builder.LedgerOptionsFor(m, delta.LedgerOptions{})
				for range 2 {
					if _, err := opts.Schemas.ObjectToTyped(widget); err == nil {
						t.Error("a kind is known, and the server says nothing")
					}
				}
			}
			if got := m.asked.Load(); got != c.want {
				t.Errorf("the server was asked %d times, want %d", got, c.want)
			}
		}
	})
}

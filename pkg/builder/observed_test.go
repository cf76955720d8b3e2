package builder_test

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
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

// TestAClientThatForgetsIsNamed asks for own writes although the manager's client does not
// remember any. The log has to say so once.
func TestAClientThatForgetsIsNamed(t *testing.T) {
	var lines []string
	m := newFakeManager(&informertest.FakeInformers{})
	m.logger = funcr.New(func(_, args string) { lines = append(lines, args) }, funcr.Options{})
	opts := builder.LedgerOptionsFor(m, delta.LedgerOptions{})
	if len(lines) > 0 {
		t.Errorf("before the first question the log says %q", lines)
	}
	added := delta.Change{Cause: delta.Primary, Op: delta.Added, New: newObject(pod, "p", "a")}
	deleted := delta.Change{Cause: delta.Owned, Op: delta.Deleted, New: newObject(pod, "q", "a")}
	for change := range delta.NewChanges(added, deleted).Assume(delta.Circumstances{Writes: opts.Writes}).All() {
		if change.Own() {
			t.Errorf("%s counts as our own although the client remembers nothing", change)
		}
	}
	if len(lines) != 1 || !strings.Contains(lines[0], "manager.Configure") {
		t.Errorf("the log says %q, want one line that says what to do", lines)
	}
}

// remembering is a client that remembers its writes.
type remembering struct{ client.Client }

func (remembering) OwnWrites() delta.OwnWrites { return everythingIsOurs{} }

type everythingIsOurs struct{ delta.OwnWrites }

// TestTheClientsWritesAreKnown checks that the builder finds the writes that the manager's
// client remembers.
func TestTheClientsWritesAreKnown(t *testing.T) {
	m := newFakeManager(&informertest.FakeInformers{})
	m.client = remembering{}
	opts := builder.LedgerOptionsFor(m, delta.LedgerOptions{})
	if opts.Writes != (everythingIsOurs{}) || opts.KindOf == nil || opts.Schemas != nil {
		t.Errorf("the ledger is made with %+v", opts)
	}
	if kind, err := opts.KindOf(&corev1.Pod{}); err != nil || kind != pod {
		t.Errorf("a Pod is a %v, %v", kind, err)
	}
}

// shown is a cache that knows its Runtime, as ours does.
type shown struct {
	cache.Cache
	of *managed.Runtime
}

func (s shown) Runtime() managed.Handle { return s.of.Handle() }

// TestAClientAroundOurs has a client that does not say what it has written, over a cache that knows it.
func TestAClientAroundOurs(t *testing.T) {
	of := managed.New()
	of.Writes = everythingIsOurs{}
	m := newFakeManager(shown{&informertest.FakeInformers{}, of})
	m.client = struct{ client.Client }{remembering{}}
	if opts := builder.LedgerOptionsFor(m, delta.LedgerOptions{}); opts.Writes != (everythingIsOurs{}) {
		t.Errorf("the ledger has the writes %v", opts.Writes)
	}
}

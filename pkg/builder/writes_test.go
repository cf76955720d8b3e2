package builder_test

import (
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/pkg/builder"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

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

package source_test

import (
	"context"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache/informertest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllertest"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/source"
)

// handFed is a cache with one informer of ours, which tells what a benchmark has it tell.
// A real informer, which never runs, makes the subscription.
type handFed struct {
	informertest.FakeInformers
	cache.Informer // none: a source does nothing but subscribe
	real           *engine.Informer[any]
	subscriber     chan func(*delta.Delta[any])
}

func (h *handFed) GetInformer(context.Context, client.Object, ...cache.InformerGetOption) (cache.Informer, error) {
	return h, nil
}

// IndexField is the cache's: nobody asks.
func (h *handFed) IndexField(context.Context, client.Object, string, client.IndexerFunc) error {
	return nil
}

func (h *handFed) Subscribe(tell func(*delta.Delta[any]), opts informer.SubscribeOptions) (*engine.Subscription[any], error) {
	h.subscriber <- tell
	return h.real.Subscribe(tell, opts)
}

func (h *handFed) Unsubscribe(sub *engine.Subscription[any]) { h.real.Unsubscribe(sub) }

// BenchmarkDelivery is one event on its way through a source to a handler that adds nothing.
func BenchmarkDelivery(b *testing.B) {
	before, after := pod("web", "1"), pod("web", "2")
	before.ResourceVersion, after.ResourceVersion = "1", "2"
	key := delta.Key{Namespace: "team", Name: "web"}
	updated := &delta.Delta[any]{Key: key, Op: delta.Updated, Old: before, New: after, Version: "2"}
	missed := &delta.Delta[any]{Key: key, Op: delta.Deleted, Missed: true, Old: after, Version: "3"}
	for _, c := range []struct {
		name   string
		ledger bool
		tell   *delta.Delta[any] // nil: an informer that is not ours tells of an update
	}{
		{"updated/ledger=off", false, updated},
		{"updated/ledger=on", true, updated},
		{"missed/ledger=off", false, missed},
		{"missed/ledger=on", true, missed},
		{"foreign/ledger=off", false, nil},
		{"foreign/ledger=on", true, nil},
	} {
		b.Run(c.name, func(b *testing.B) {
			var ledger *delta.Ledger[request]
			if c.ledger {
				ledger = delta.NewLedger[request](delta.LedgerOptions{})
			}
			tell := startedDelivery(b, ledger, c.tell)
			b.ReportAllocs()
			for b.Loop() {
				tell()
			}
		})
	}
}

// startedDelivery starts a source and returns what delivers one event through it.
func startedDelivery(b *testing.B, ledger *delta.Ledger[request], d *delta.Delta[any]) func() {
	b.Helper()
	ours := &handFed{real: engine.New[any](nil, engine.Options[any]{}), subscriber: make(chan func(*delta.Delta[any]), 1)}
	theirs := controllertest.NewFakeInformer(controllertest.Synced)
	k := &source.Kind[*podObject, request]{
		Type: &podObject{}, Cache: ours, Ledger: ledger, Cause: delta.Primary, GVK: podKind,
		Handler: funcs{
			UpdateFunc: func(context.Context, event.TypedUpdateEvent[*podObject], queue) {},
			DeleteFunc: func(context.Context, event.TypedDeleteEvent[*podObject], queue) {},
		},
	}
	if d == nil {
		k.Cache = holding(theirs)
	}
	ctx, stop := context.WithCancel(b.Context())
	b.Cleanup(stop)
	if err := k.Start(ctx, nil); err != nil {
		b.Fatal(err)
	}
	if d != nil {
		tell := <-ours.subscriber
		return func() { tell(d) }
	}
	if err := k.WaitForSync(ctx); err != nil {
		b.Fatal(err)
	}
	before, after := pod("web", "1"), pod("web", "2")
	before.ResourceVersion, after.ResourceVersion = "1", "2"
	return func() { theirs.Update(before, after) }
}

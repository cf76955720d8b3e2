package builder

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/ledger"
	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/source"
)

func TestWhichSourcesAreForeign(t *testing.T) {
	tell := &handler.EnqueueRequestForObject{}
	for _, of := range []struct {
		source  ctrlsource.Source
		foreign bool
	}{
		{ctrlsource.Kind(nil, client.Object(&corev1.Pod{}), handler.EventHandler(tell)), true},
		{ctrlsource.Func(func(context.Context, workqueue.TypedRateLimitingInterface[reconcile.Request]) error { return nil }), true},
		{nil, true},
		{source.NewKind(nil, client.Object(&corev1.Pod{}), handler.EventHandler(tell)), false},
	} {
		if isForeign(of.source) != of.foreign {
			t.Errorf("%T is foreign: %v", of.source, !of.foreign)
		}
	}
}

// leaky is a cache that leaves something out now and then.
type leaky struct {
	observe.Resyncer // none: nothing is asked of it
	gaps             uint64
}

func (*leaky) Kinds() []observe.Kind    { return nil }
func (*leaky) Unmade() []observe.Unmade { return nil }
func (*leaky) Record(*journal.Journal)  {}
func (c *leaky) Gaps() uint64           { return c.gaps }

// welcoming is a controller that takes any source.
type welcoming struct{ controller.Controller }

func (welcoming) Watch(ctrlsource.Source) error { return nil }

// TestAForeignSourceHasTheGapsOfAllKinds leaves something out between two calls, before a source comes, and twice after it has come.
func TestAForeignSourceHasTheGapsOfAllKinds(t *testing.T) {
	tell := &handler.EnqueueRequestForObject{}
	ours := source.NewKind(nil, client.Object(&corev1.Pod{}), handler.EventHandler(tell))
	theirs := ctrlsource.Kind(nil, client.Object(&corev1.Pod{}), handler.EventHandler(tell))
	for _, of := range []struct {
		source  ctrlsource.Source
		foreign bool
	}{{ours, false}, {theirs, true}} {
		books := delta.NewLedger[reconcile.Request](delta.LedgerOptions{})
		shared, cache := managed.New(), &leaky{}
		t.Cleanup(shared.Runs(cache))
		c := &recordedController[reconcile.Request]{TypedController: welcoming{}, ledger: books, shared: shared}
		isComplete := func() bool {
			books.Clerk().Record(reconcile.Request{}, delta.Change{Cause: delta.External})
			books.Clerk().Landed(reconcile.Request{})
			complete := books.Clerk().Take(reconcile.Request{}).Complete()
			books.Clerk().Settle(reconcile.Request{}, ledger.Succeeded)
			return complete
		}
		isComplete()
		cache.gaps++
		if !isComplete() {
			t.Errorf("before a source that is foreign (%t), a call is not complete", of.foreign)
		}
		for range 2 {
			if err := c.Watch(of.source); err != nil {
				t.Fatal(err)
			}
			cache.gaps++
			if isComplete() == of.foreign {
				t.Errorf("with a source that is foreign (%t), a call is complete after a gap: %t", of.foreign, !of.foreign)
			}
			if !isComplete() {
				t.Errorf("with a source that is foreign (%t), a call without a gap is not complete", of.foreign)
			}
		}
	}
}

package source_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/source"
)

// TestChannelTellsWhichObject sends events to a channel that two controllers watch. One of
// them has a ledger.
func TestChannelTellsWhichObject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events := make(chan event.TypedGenericEvent[*podObject])
		var mu sync.Mutex // guards queues
		var queues []queue
		s := source.Channel(events, handler.TypedFuncs[*podObject, request]{
			GenericFunc: func(_ context.Context, e event.TypedGenericEvent[*podObject], q queue) {
				mu.Lock()
				queues = append(queues, q)
				mu.Unlock()
				q.Add(asked(e.Object.Name))
			},
		}, ctrlsource.WithPredicates[*podObject, request](predicate.TypedFuncs[*podObject]{
			GenericFunc: func(e event.TypedGenericEvent[*podObject]) bool { return e.Object.Name != "hidden" },
		}), ctrlsource.WithBufferSize[*podObject, request](3))
		ledger := delta.NewLedger[request](delta.LedgerOptions{})
		plain, recording := newQueue(t), newQueue(t)
		started(t, t.Context(), s, plain)
		started(t, t.Context(), recorded{s, ledger}, recording)
		for _, name := range []string{"hidden", "web", "db"} {
			events <- event.TypedGenericEvent[*podObject]{Object: pod(name, "1")}
		}
		close(events)
		synctest.Wait()
		if plain.Len() != 2 || recording.Len() != 2 {
			t.Errorf("%d and %d requests were added, want 2 each", plain.Len(), recording.Len())
		}
		untouched := 0
		for _, q := range queues {
			if q == plain {
				untouched++
			}
		}
		if untouched != 2 {
			t.Errorf("without a ledger the handler was given the controller's queue %d times, want 2", untouched)
		}
		for _, name := range []string{"web", "db"} {
			changes := ledger.Clerk().Take(asked(name))
			for c := range changes.All() {
				if c.Cause != delta.Generic || c.Op != 0 || c.New == nil || c.New.GetName() != name || c.Key != (delta.Key{Namespace: "team", Name: name}) {
					t.Errorf("for %s the ledger has %s", name, c)
				}
			}
			if changes.Len() != 1 {
				t.Errorf("for %s the ledger has %s", name, changes)
			}
		}
	})
}

// TestChannelRefusesToStartAsTheirs compares with controller-runtime's.
func TestChannelRefusesToStartAsTheirs(t *testing.T) {
	events := make(chan event.GenericEvent)
	for name, pair := range map[string][2]ctrlsource.Source{
		"no channel": {source.Channel(nil, handler.EventHandler(&handler.EnqueueRequestForObject{})), ctrlsource.Channel(nil, handler.EventHandler(&handler.EnqueueRequestForObject{}))},
		"no handler": {source.Channel(events, nil), ctrlsource.Channel(events, nil)},
	} {
		ours, theirs := pair[0].Start(t.Context(), newQueue(t)), pair[1].Start(t.Context(), newQueue(t))
		if ours == nil || fmt.Sprint(ours) != fmt.Sprint(theirs) {
			t.Errorf("%s: it says %v, want %v", name, ours, theirs)
		}
	}
}

package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// attribution is what makes the queues for the handler. It is nil for a source that
// records nothing and has no policy of its own: that one has the controller's queue.
func (k *Kind[O, R]) attribution(queue workqueue.TypedRateLimitingInterface[R]) *attribution[R] {
	to, ledger := unwrap(queue)
	if k.Ledger != nil {
		ledger = k.Ledger
	}
	if ledger == nil && !saysSomething(k.Resync) {
		return nil
	}
	return &attribution[R]{queue: to, ledger: ledger, cause: k.Cause, kind: k.GVK}
}

// subscribe has the handler told what our informer tells, until ctx ends.
func (k *Kind[O, R]) subscribe(ctx context.Context, s *session, ours subscribable, told *EventHandler[O, R]) error {
	missed := gapsOf(ours)
	sub, err := ours.Subscribe((&delivery[O, R]{to: told}).tell, informer.SubscribeOptions{
		// What folds stays exact in the ledger, and a reconciler is told the latest anyway.
		ListenerOptions: informer.ListenerOptions{Name: cmp.Or(k.Name, k.String()), Backlog: informer.FoldUpdates},
		Resync:          k.Resync,
	})
	if err != nil {
		return err
	}
	defer ours.Unsubscribe(sub)
	watchGaps(told.recording.ledger, missed, sub)
	if !k.Cache.WaitForCacheSync(ctx) { // see synced
		return errors.New("cache did not sync")
	}
	return s.stay(ctx, sub)
}

// gapsOf returns the count of what an informer has not told its subscribers, from now
// on. It is nil for one that does not count.
func gapsOf(ours subscribable) func() uint64 {
	counts, ok := ours.(interface{ Gaps() uint64 })
	if !ok {
		return nil
	}
	before := counts.Gaps()
	return func() uint64 { return counts.Gaps() - before }
}

// watchGaps has the ledger look whether a subscriber has missed anything.
func watchGaps[R comparable](ledger *delta.Ledger[R], missed func() uint64, sub *informer.Subscription[any]) {
	switch {
	case ledger == nil:
	case missed == nil:
		ledger.Blind("an informer does not count what it leaves out")
	default:
		ledger.Gaps(missed)
		ledger.Gaps(sub.Vanished)
	}
}

// delivery calls an event handler for deltas. It is called by one goroutine.
type delivery[O any, R comparable] struct {
	to      *EventHandler[O, R] // a copy of which each delta is delivered to
	crashed bool                // in the last call
}

// afterCrash is how long a handler that has panicked is left alone, where panics are
// configured not to end the process: as long as our informers leave event handlers
// alone.
const afterCrash = time.Second

func (d *delivery[O, R]) tell(what *delta.Delta[any]) {
	if d.crashed {
		time.Sleep(afterCrash)
	}
	d.crashed = true
	defer utilruntime.HandleCrashWithLogger(log.WithName("Kind"))
	to := *d.to
	to.about = what
	switch what.Op {
	case delta.Added:
		to.OnAdd(what.New, what.Initial)
	case delta.Updated, delta.Sync:
		to.OnUpdate(what.Old, what.New)
	case delta.Deleted:
		if what.Missed {
			to.OnDelete(toolscache.DeletedFinalStateUnknown{Key: what.Key.String(), Obj: what.Old})
		} else {
			to.OnDelete(what.New)
		}
	case delta.OutOfScope: // an event handler would clean up after what is there; the ledger sees a gap
	default:
		panic(fmt.Sprintf("BUG: a source was told %s of %s", what.Op, what.Key))
	}
	d.crashed = false
}

// foreign is how the handler is told by an informer that is not ours: as exactly as its
// events are, and never completely.
func (k *Kind[O, R]) foreign(found cache.Informer, told *EventHandler[O, R]) registering {
	r := registering{with: found, handler: foreign[O, R]{told}}
	if ledger := told.recording.ledger; ledger != nil {
		ledger.Blind(fmt.Sprintf("the cache's informer for %s is a %T, which does not tell what was missed", describe(k.Type), found))
	}
	switch period := k.Resync.Period; {
	case period > 0:
		r.options.ResyncPeriod = &period
	case period == informer.NeverResync:
		r.options.ResyncPeriod = new(time.Duration)
	}
	if saysSomething(k.Resync) {
		log.Info("The cache's informer knows no resync policies; of this one only the period counts",
			"source", k.String(), "informer", fmt.Sprintf("%T", found))
	}
	return r
}

// foreign calls an event handler for the events of an informer that is not ours.
type foreign[O client.Object, R comparable] struct{ to *EventHandler[O, R] }

func (f foreign[O, R]) about(d *delta.Delta[any]) *EventHandler[O, R] {
	to := *f.to
	to.about = d
	return &to
}

// OnAdd is what was added, or was there.
func (f foreign[O, R]) OnAdd(obj any, isInInitialList bool) {
	d := foreignDelta(delta.Added, nil, obj)
	d.Initial = isInInitialList
	f.about(d).OnAdd(obj, isInInitialList)
}

// OnUpdate is what has changed, or is shown again.
func (f foreign[O, R]) OnUpdate(oldObj, newObj any) {
	f.about(foreignDelta(delta.Updated, oldObj, newObj)).OnUpdate(oldObj, newObj)
}

// OnDelete is what is gone.
func (f foreign[O, R]) OnDelete(obj any) {
	d := foreignDelta(delta.Deleted, obj, obj) // how it was before is not told; it is hardly ever otherwise
	if tombstone, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
		d = foreignDelta(delta.Deleted, tombstone.Obj, nil)
		d.Missed = true
	}
	f.about(d).OnDelete(obj)
}

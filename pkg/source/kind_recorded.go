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
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// attribution is what makes the queues for the handler. Where nothing is recorded and the
// source has no policy of its own, that is the controller's queue.
func (k *Kind[O, R]) attribution(queue workqueue.TypedRateLimitingInterface[R]) *attribution[R] {
	to, ledger := unwrap(queue)
	if k.Ledger != nil {
		ledger = k.Ledger
	}
	how := delta.ByContent
	if _, byKey := any(k.Handler).(*handler.TypedEnqueueRequestForObject[O]); byKey {
		how = delta.ByKey
	}
	a := newAttribution(to, ledger, how)
	a.cause, a.kind = k.Cause, k.GVK
	return a
}

// subscribe has the handler told what our informer tells, until ctx or the informer ends.
// It reports true if there may be another informer then.
func (k *Kind[O, R]) subscribe(ctx context.Context, s *session, ours subscribable, told *EventHandler[O, R]) (again bool, err error) {
	by := missedBy(ours)
	sub, err := ours.Subscribe((&delivery[O, R]{to: told}).tell, informer.SubscribeOptions{
		// A backlog that folds hides events from which a handler may make requests.
		Name: cmp.Or(k.Name, k.String()), Backlog: informer.KeepEverything,
		Resync: k.Resync,
	})
	if err != nil {
		return errors.Is(err, engine.ErrStopped), err
	}
	defer ours.Unsubscribe(sub)
	told.recording.watch(by.of(sub))
	if !s.answered() && !k.Cache.WaitForCacheSync(ctx) { // see synced; who has synced waits for no other kind
		return false, errors.New("cache did not sync")
	}
	return s.stay(ctx, sub, told.recording.listed)
}

// counts are what an informer counts of what it could not tell its subscribers.
type counts interface {
	// Gaps is how many times there was something to tell that it could not.
	Gaps() uint64
	// Relists is how many times it had to list again, so that it does not know what was
	// undone in between.
	Relists() uint64
}

// missed counts what an informer has not told a subscriber.
type missed struct {
	informer counts
	sub      *engine.Subscription[any]

	gapsBefore, relistsBefore uint64 // there was a subscriber
}

// missedBy counts from now on. It is nil for an informer that does not count.
func missedBy(ours subscribable) *missed {
	c, ok := ours.(counts)
	if !ok {
		return nil
	}
	return &missed{informer: c, gapsBefore: c.Gaps(), relistsBefore: c.Relists()}
}

// of returns the counts for a subscription.
func (m *missed) of(sub *engine.Subscription[any]) *missed {
	if m != nil {
		m.sub = sub
	}
	return m
}

func (m *missed) gaps() uint64    { return m.informer.Gaps() - m.gapsBefore + m.sub.Vanished() }
func (m *missed) relists() uint64 { return m.informer.Relists() - m.relistsBefore }

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
	to.turn = to.recording.begin(what)
	defer to.turn.end()
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
		to.done()
	default:
		panic(fmt.Sprintf("BUG: a source was told %s of %s", what.Op, what.Key))
	}
	d.crashed = false
}

// foreign is how the handler is told by an informer that is not ours: as exactly as its
// events are, and never completely.
func (k *Kind[O, R]) foreign(found cache.Informer, told *EventHandler[O, R]) registering {
	// What such an informer shows in a resync is an update to predicates, unless the period
	// is the source's.
	terms := delta.ResyncTerms{AsUpdate: k.Resync.Period <= 0 || k.Resync.AsUpdate}
	r := registering{with: found, handler: foreign[O, R]{to: told, resync: &delta.Origin{Resync: &terms}}}
	if told.recording.ledger == nil && !saysSomething(k.Resync) {
		told.recording = nil
		r.handler = told
		return r
	}
	if ledger := told.recording.ledger; ledger != nil {
		ledger.Blind(fmt.Sprintf("the cache's informer for %s is a %T, which does not tell what was missed: set NewCache to our cache.New, or call manager.Configure", describe(k.Type), found))
	}
	switch period := k.Resync.Period; {
	case period > 0:
		r.options.ResyncPeriod = &period
	case period == resync.Never:
		r.options.ResyncPeriod = new(time.Duration)
	}
	if saysSomething(k.Resync) {
		log.Info("The cache's informer knows no resync policies, so of this one only the period counts, and none shorter than the cache's SyncPeriod; for the rest set NewCache to our cache.New, or call manager.Configure",
			"source", k.String(), "informer", fmt.Sprintf("%T", found))
	}
	return r
}

// foreign calls an event handler for the events of an informer that is not ours.
type foreign[O client.Object, R comparable] struct {
	to     *EventHandler[O, R]
	resync *delta.Origin // of what a resync shows
}

// deliver begins the delivery of a delta, and has it ended when tell returns.
func (f foreign[O, R]) deliver(d *delta.Delta[any], tell func(*EventHandler[O, R])) {
	to := *f.to
	to.turn = to.recording.begin(d)
	defer to.turn.end()
	tell(&to)
}

// OnAdd is what was added, or was there.
func (f foreign[O, R]) OnAdd(obj any, isInInitialList bool) {
	d := foreignDelta(delta.Added, nil, obj)
	d.Initial = isInInitialList
	f.deliver(d, func(to *EventHandler[O, R]) { to.OnAdd(obj, isInInitialList) })
}

// OnUpdate is what has changed, or is shown again.
func (f foreign[O, R]) OnUpdate(oldObj, newObj any) {
	d := foreignDelta(delta.Updated, oldObj, newObj)
	if d.Op == delta.Sync && oldObj == newObj { // a relist shows the one that was listed again
		d.Origin = f.resync
	}
	f.deliver(d, func(to *EventHandler[O, R]) { to.OnUpdate(oldObj, newObj) })
}

// OnDelete is what is gone.
func (f foreign[O, R]) OnDelete(obj any) {
	d := foreignDelta(delta.Deleted, obj, obj) // how it was before is not told; it is hardly ever otherwise
	if tombstone, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
		d = foreignDelta(delta.Deleted, tombstone.Obj, nil)
		d.Missed = true
	}
	f.deliver(d, func(to *EventHandler[O, R]) { to.OnDelete(obj) })
}

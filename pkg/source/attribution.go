package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/ledger"
	"github.com/delta-runtime/delta-runtime/internal/ledger/recording"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// attribution makes the queues of one source's subscriber, and tells the ledger what the
// subscriber hears of. There is one queue for each delivery. A handler may keep its queue:
// what it adds later is still for that delivery's change.
type attribution[R comparable] struct {
	queue  workqueue.TypedRateLimitingInterface[R] // the controller's
	ledger *delta.Ledger[R]                        // nil: nothing is recorded
	stream ledger.Stream[R, delta.Change]          // Invariant: nil exactly if the ledger is.
	cause  delta.Cause
	kind   schema.GroupVersionKind // empty: the ledger finds it out

	example client.Object // of the kind

	lost   atomic.Uint64         // events that the subscriber did not hear of, or not to the end
	missed atomic.Pointer[tally] // what the informers have not told
	gone   uint64                // the informers' gaps at the last delivery; Invariant: only deliveries use it, one at a time.

	// The goroutine that follows the informers uses these. It sets adrift, which others read.
	has, had bool        // the ledger counts on what is told of the kind now, and has done so
	adrift   atomic.Bool // the informer is gone, and the next one has not listed yet
}

// tally is what the present informer and those before it have not told. Invariant: a tally does not change, so
// that counts never go back.
type tally struct {
	present counts // nil: there is none
	// Those of the informers before it, less what the present one had counted before the subscriber came.
	gaps, relists uint64
}

func (t *tally) sum() (gaps, relists uint64) {
	if t.present == nil {
		return t.gaps, t.relists
	}
	return t.gaps + t.present.Gaps(), t.relists + t.present.Relists()
}

// newAttribution returns an attribution. If there is a ledger, it begins a stream of it.
func newAttribution[R comparable](queue workqueue.TypedRateLimitingInterface[R], ledger *delta.Ledger[R], byKey bool) *attribution[R] {
	a := &attribution[R]{queue: queue, ledger: ledger}
	a.missed.Store(&tally{})
	if ledger != nil {
		clerk := ledger.Clerk()
		a.stream = clerk.NewStream(byKey)
		clerk.Count(a.count)
	}
	return a
}

// count counts a gap at each look while there is no informer. A request that succeeds meanwhile has not
// seen the end of it.
func (a *attribution[R]) count() (gaps, relists uint64) {
	if a.adrift.Load() {
		a.lost.Add(1)
	}
	gaps, relists = a.missed.Load().sum()
	return a.lost.Load() + gaps, relists
}

// from is the tally of a subscriber that comes to an informer now.
func (a *attribution[R]) from(present counts) *tally {
	gaps, relists := a.missed.Load().sum()
	return &tally{present: present, gaps: gaps - present.Gaps(), relists: relists - present.Relists()}
}

// restart notes that another informer will tell the subscriber everything from the beginning.
func (a *attribution[R]) restart() {
	a.lost.Add(1)
	if a.stream != nil {
		a.stream.Restart()
	}
	a.adrift.Store(true)
	a.unlisted()
	a.letGo()
}

// letGo keeps what an informer that has ended did not tell as a number, and no longer the informer with all its objects.
func (a *attribution[R]) letGo() {
	gaps, relists := a.missed.Load().sum()
	a.missed.Store(&tally{gaps: gaps, relists: relists})
}

// listed notes that the subscriber has heard of everything that is there. The ledger hears of the
// kind from here on. A gap ends here: the subscriber had lost its informer, or has come late. A
// request that has succeeded in the gap may have missed what happened since.
func (a *attribution[R]) listed() {
	if a.ledger != nil && !a.has {
		a.ledger.Clerk().Listed(a.ofTheKind())
	}
	a.has, a.had = true, true
	a.adrift.Store(false)
}

// unlisted notes that the ledger hears no more of the kind.
func (a *attribution[R]) unlisted() {
	if a.ledger != nil && a.has {
		a.ledger.Clerk().Unlisted(a.ofTheKind())
	}
	a.has = false
}

func (a *attribution[R]) ofTheKind() delta.Change { return delta.Change{Kind: a.kind, New: a.example} }

// ended notes that the subscriber will hear of nothing more. It was stopped, or its cache or informer was, and then
// its kind is not watched any more. Or there was an error before it heard of anything, and nobody knows what it would tell.
func (a *attribution[R]) ended(ctx context.Context, err error) {
	a.unlisted()
	a.adrift.Store(false)
	a.letGo()
	stopped := ctx.Err() != nil || errors.Is(err, observe.ErrCacheStopped) || errors.Is(err, engine.ErrStopped)
	if a.ledger != nil && !a.had && err != nil && !stopped {
		a.ledger.Clerk().Blind(fmt.Sprintf("a source tells nothing: %v", err))
	}
}

// begin begins the delivery of a delta. The caller has to end it.
func (a *attribution[R]) begin(d *delta.Delta[any]) turn[R] {
	t := turn[R]{of: a}
	if a.stream != nil {
		a.forget()
		t.delivery = a.stream.Begin(a.change(d))
	}
	return t
}

// forget begins the stream again after a gap of the informer's. No request is completely known
// then until it succeeds. Objects that went with their namespace would stay in the stream,
// because nobody tells of their end. A handler that panicked leaves no such objects.
func (a *attribution[R]) forget() {
	if gaps, _ := a.missed.Load().sum(); gaps != a.gone {
		a.gone = gaps
		a.stream.Restart()
	}
}

// turn is one delivery.
type turn[R comparable] struct {
	of       *attribution[R]
	delivery ledger.Delivery[R] // nil where nothing is recorded
	whole    bool               // the subscriber has returned, or need not be told
}

// queue returns the queue for the delivery. Predicates stop most events of many controllers,
// so nobody makes a queue before they have been asked.
func (t *turn[R]) queue(d *delta.Delta[any]) workqueue.TypedRateLimitingInterface[R] {
	if t.of.ledger == nil {
		return t.of.queue
	}
	because := recording.Reason[R]{Ledger: t.of.ledger, Delivery: t.delivery}
	if terms := d.Resync(); terms != nil {
		because.Rest = terms.OnlyIfNotReconciledFor
	}
	return recording.NewQueue(t.of.queue, because)
}

// heldBack notes that a predicate has held the delta back, so that the subscriber need not be
// told. It returns true.
func (t *turn[R]) heldBack() bool {
	if t.of.ledger != nil {
		t.of.ledger.Clerk().HoldBack()
	}
	return true
}

// end ends the delivery. Its caller defers it, so that it also sees a panic.
func (t *turn[R]) end() {
	if !t.whole {
		t.of.lost.Add(1)
	}
	if t.delivery != nil {
		t.delivery.End()
	}
}

// change returns what a delta is to the requests that it leads to.
func (a *attribution[R]) change(d *delta.Delta[any]) delta.Change {
	before, _ := d.Old.(delta.Object) // nil for none, and for anything that is not an object
	after, _ := d.New.(delta.Object)
	cause := cmp.Or(a.cause, delta.Mapped)
	c := delta.Change{
		Cause: cause, Kind: a.kind, Key: d.Key,
		Op: d.Op, Old: before, New: after,
		First: d.Seen, Last: d.Seen, Deltas: 1,
		Missed: d.Missed, Relisted: d.Relisted, Origin: d.Origin,
	}
	if d.Op == delta.Sync {
		c = a.ledger.Clerk().ShownBy(c, cause)
	}
	switch {
	case d.Origin != nil && d.Origin.Remembered:
		c.Cause, c.Origin = delta.Restart, nil
	case d.Op == delta.Sync && d.Resync() == nil:
		c.Cause = delta.Relist
	case d.Op == delta.Sync:
		c.Cause, c.Origin = delta.Resync, nil // the delta's Origin says who asked, and not who wrote
	case d.Initial:
		c.Cause = delta.InitialList
	}
	return c
}

package engine

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/internal/engine/timetable"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// DeltaFIFO holds what has been learnt and not yet been applied to the store, in the order in which it arrived. It
// compares each delta with the known state of its object. Three layers know that, newest first:
//
//	pending      told to us, nobody has taken it yet
//	handed out   taken by Next, perhaps not visible in the store yet
//	the store    everything before that
//
// The middle layer is why a batch is applied without the lock. Any goroutine may add; one calls
// Next. One goroutine calls Replace and Push for a scope, because their order is that of the history.
type DeltaFIFO[T any] struct {
	opts     *Options[T]     // Traits, Transform, Observe and ShowUnchanged are for the queue
	store    *store.Store[T] // what the deltas are going to be applied to
	ready    chan struct{}   // cap 1; holds a token while there may be something to pop
	unsynced atomic.Int32    // written under mu. Invariant: the number of open inlets whose first list is not visible.

	mu      lock.Mutex[lock.FIFO] // guards everything below; never held while calling out
	pending pile[T]
	out     pile[T] // handed out and not yet visible in the store
	busy    bool    // out is in somebody's hands. Invariant: otherwise out is empty.
	closed  bool
	arrived uint64 // number of the newest item. Invariant: it never goes back.

	scopes  inlets[T]
	founded bool          // those to come do not count for synced and settled
	asMade  bool          // the inlets are those that the informer was made with
	synced  chan struct{} // closed when each founding scope's first list is visible
	settled chan struct{} // closed when each has got there or been found degraded
}

// NewDeltaFIFO returns a queue that nothing can enter before a scope is opened.
func NewDeltaFIFO[T any](opts *Options[T], s *store.Store[T]) *DeltaFIFO[T] {
	return &DeltaFIFO[T]{
		opts:    opts,
		store:   s,
		ready:   make(chan struct{}, 1),
		synced:  make(chan struct{}),
		settled: make(chan struct{}),
	}
}

// dress gives the object its final form: observed as the server sent it, then
// transformed. It runs without the lock, because it calls the user's code.
func (f *DeltaFIFO[T]) dress(d *delta.Delta[T]) (err error) {
	if f.opts.Observe != nil {
		d.Origin = f.opts.Observe(d.New)
	}
	if f.opts.Transform == nil {
		return nil
	}
	if d.New, err = f.opts.Transform(d.New); err != nil {
		return fmt.Errorf("transform the object: %w", err)
	}
	return nil
}

// sync asks for the objects to be shown again to the subscribers in to, as they are when the Sync is applied, so that
// it never brings back an older one.
func (f *DeltaFIFO[T]) sync(keys []delta.Key, to *timetable.Audience, origin *delta.Origin) {
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, key := range keys {
		show := delta.Delta[T]{Key: key, Op: delta.Sync, Seen: now, Origin: origin}
		f.syncLocked(&item[T]{event: event[T]{Delta: show, to: to}})
	}
	f.ringLocked()
}

// syncLocked queues a Sync, unless a pending one of the same origin stands for it. So does a pending change, unless a
// resync asked: a subscriber may hold the change back, and would miss the resync. Syncs of different origins stay
// apart, so that each subscriber is told who asked. One without an origin comes of a relist that shows the object unchanged.
func (f *DeltaFIFO[T]) syncLocked(it *item[T]) {
	newest, ok := f.pending.newest(it.Key)
	switch {
	case ok && newest.Op == delta.Sync && newest.Origin == it.Origin:
		newest.to = newest.to.Union(it.to)
	case ok && newest.Op != delta.Sync && it.Origin == nil:
	default:
		f.appendLocked(it)
	}
}

// control adds an entry for the consumer to carry out at the end of a batch. It
// reports false if the queue is closed, so that nobody waits for an answer.
func (f *DeltaFIFO[T]) control(c control) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return false
	}
	f.pending.controls = append(f.pending.controls, c)
	f.ringLocked()
	return true
}

// appendLocked queues the item, unless it repeats a deletion. The caller rings when all is queued: an earlier ring would have
// the consumer wait for the lock, and the next one wake it for nothing.
func (f *DeltaFIFO[T]) appendLocked(it *item[T]) {
	it.arrival = f.arrived + 1
	if f.pending.add(it) {
		f.arrived++
	}
}

// latestLocked returns the newest known state of an object that exists.
func (f *DeltaFIFO[T]) latestLocked(key delta.Key) (obj T, present bool) {
	change, ok := f.pending.newestChange(key)
	if !ok {
		change, ok = f.out.newestChange(key)
	}
	switch {
	case ok && change.Op == delta.Deleted:
		return obj, false
	case ok:
		return change.New, true
	}
	return f.store.Get(key)
}

// close refuses control entries from now on. It returns those that nobody will carry out any more.
func (f *DeltaFIFO[T]) close() []control {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	left := f.pending.controls
	f.pending.controls = nil
	return left
}

// Len is the number of deltas that are pending.
func (f *DeltaFIFO[T]) Len() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.pending.items)
}

// ring makes the consumer look again, though nothing may be pending.
func (f *DeltaFIFO[T]) ring() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ringLocked()
}

// ringLocked leaves a token for the consumer. One is enough: Next takes everything.
func (f *DeltaFIFO[T]) ringLocked() {
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

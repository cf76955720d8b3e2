package engine

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Inlet is where what one scope's Reflector learns enters the queue, with the version that the scope is at. It takes
// objects within its reach alone, and nothing once it is closed.
type Inlet[T any] struct {
	fifo   *DeltaFIFO[T]
	reach  reach
	onSkip func(error) // is told why an object of a list was left out that could not be transformed: its last good state stays

	// What follows is guarded by the queue's lock.
	closed   bool
	moved    bool // see inlets
	founding bool // opened before the queue was founded

	heard   string    // version that it is at
	out     string    // the same, when the last batch was handed out
	visible string    // the same of what readers see
	heardAt time.Time // when something came last

	omitted omissions       // since the last list
	onGap   func()          // called where what was omitted ends, and when a first list comes late; nil if nobody asks
	ready   <-chan struct{} // closed when subscribers may have synced; nil if nobody asks

	listed     bool          // replace was called
	unpopped   bool          // the version that it came with is pending
	initialEnd uint64        // number of the last item of the first list
	synced     chan struct{} // closed when the first list is visible, and with the inlet
	isSynced   atomic.Bool   // the first list is visible; written under the lock. Invariant: once true, it stays.
	settled    chan struct{} // closed when it is synced or found degraded, and with the inlet
}

var _ reflector.Sink[int] = &Inlet[int]{}

// Open adds an inlet for a scope that nobody else has: one namespace, or all but some.
func (f *DeltaFIFO[T]) Open(namespace string, except []string, onSkip func(error)) *Inlet[T] {
	in := &Inlet[T]{fifo: f, reach: newReach(namespace, except), onSkip: onSkip, synced: make(chan struct{}), settled: make(chan struct{})}
	f.mu.Lock()
	defer f.mu.Unlock()
	in.founding, f.asMade = !f.founded, false
	f.scopes.open = append(f.scopes.open, in)
	f.scopes.waiting = append(f.scopes.waiting, in)
	f.unsynced.Add(1)
	return in
}

// found says that all scopes are there that HasSynced is to wait for.
func (f *DeltaFIFO[T]) found() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.founded = true
	f.settleLocked()
}

// shut closes an inlet and drops what of its scope is pending. Deltas that were handed out
// are going to be applied.
func (in *Inlet[T]) shut() {
	f := in.fifo
	f.mu.Lock()
	defer f.mu.Unlock()
	if in.closed {
		return
	}
	in.closed, f.asMade = true, false
	if !in.isSynced.Load() {
		close(in.synced)
		f.unsynced.Add(-1)
	}
	in.endWaitLocked()
	itself := func(other *Inlet[T]) bool { return other == in }
	f.scopes.open = slices.DeleteFunc(f.scopes.open, itself)
	f.scopes.waiting = slices.DeleteFunc(f.scopes.waiting, itself)
	f.scopes.last = nil
	f.pending.drop(func(key delta.Key) bool { return in.reach.has(key.Namespace) })
	f.settleLocked() // the others may have been waiting for this one
	f.ringLocked()
}

// Push adds one event of a watch: Added, Updated or Deleted. Deleting what is not known adds nothing. An object that
// the transform refuses is left out, and the error says why; its deletion is queued as a missed one.
func (in *Inlet[T]) Push(d delta.Delta[T], position string) error {
	f := in.fifo
	key, err := f.opts.Traits.Key(d.New)
	if err != nil {
		in.omitAny()
		return fmt.Errorf("queue %s of an object: read its key: %w", d.Op, err)
	}
	d.Key, d.Seen = key, time.Now()
	within := in.reach.has(key.Namespace)
	if within {
		if err = f.dress(&d); err != nil {
			err = fmt.Errorf("queue %s of %s: %w", d.Op, key, err)
		}
	}
	it := item[T]{event: event[T]{Delta: d}}
	f.mu.Lock()
	defer f.mu.Unlock()
	if in.closed {
		return nil
	}
	defer f.ringLocked() // also where nothing but the version comes of it
	in.heardLocked(position, d.Seen)
	switch {
	case !within:
		return nil
	case d.Op == delta.Deleted:
		in.resumesLocked(key)
		f.deleteLocked(&it, err)
	case err != nil:
		in.omitted.of(key)
	default:
		it.hides = in.resumesLocked(key)
		f.appendLocked(&it)
	}
	return err
}

// resumesLocked reports whether a state of the object was left out before an event. That is where the gap ends: those
// who have succeeded in it may have read that state.
func (in *Inlet[T]) resumesLocked(key delta.Key) bool {
	omitted := in.omitted.before(key)
	if omitted && in.onGap != nil {
		in.onGap()
	}
	return omitted
}

// omitAny notes that an event was left out, and that its key could not be read.
func (in *Inlet[T]) omitAny() {
	in.fifo.mu.Lock()
	defer in.fifo.mu.Unlock()
	in.omitted.ofAny()
}

// deleteLocked queues a deletion if the object is known to exist. If the transform has
// refused the final state, the deletion is queued with the last known state instead.
func (f *DeltaFIFO[T]) deleteLocked(it *item[T], refused error) {
	last, present := f.latestLocked(it.Key)
	newest, pending := f.pending.newest(it.Key) // a deletion might yet learn the final state of its object
	switch {
	case refused == nil && (present || pending && newest.Op == delta.Deleted):
		f.appendLocked(it)
	case refused != nil && present:
		it.Missed, it.Old, it.New = true, last, *new(T)
		f.appendLocked(it)
	}
}

// Bookmark says that everything up to version has been pushed.
func (in *Inlet[T]) Bookmark(version string) error {
	f := in.fifo
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	if in.closed {
		return nil
	}
	in.heardLocked(version, now)
	f.ringLocked()
	return nil
}

// heardLocked notes that something came, which brings the scope to version unless
// that is empty.
func (in *Inlet[T]) heardLocked(version string, now time.Time) {
	in.heardAt = now
	if version != "" {
		in.heard, in.fifo.pending.version = version, version
		in.fifo.scopes.move(in)
	}
}

func (in *Inlet[T]) finishReplaceLocked(version string, now time.Time) {
	f := in.fifo
	in.heardLocked(version, now)
	f.ringLocked()
	if in.listed {
		return
	}
	in.listed = true
	in.initialEnd = f.arrived
	in.unpopped = version != ""
	f.settleLocked() // where nothing will be popped, nothing is missing
}

// degraded says that the scope cannot be listed until somebody does something.
func (in *Inlet[T]) degraded() {
	f := in.fifo
	f.mu.Lock()
	defer f.mu.Unlock()
	in.endWaitLocked()
	f.settleLocked()
	f.ringLocked()
}

// endWaitLocked has nobody wait any longer for a scope that may stay degraded.
func (in *Inlet[T]) endWaitLocked() {
	if !isClosed(in.settled) {
		close(in.settled)
	}
}

// shown says that what was handed out can be read. It comes before subscribers hear of a
// scope's first list, so that they may read the scope. Otherwise the release says it.
func (f *DeltaFIFO[T]) shown() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.scopes.reveal()
	f.noteSyncedLocked(f.pending.oldest())
}

// visibleVersion is the version of what can be read.
func (f *DeltaFIFO[T]) visibleVersion() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.scopes.lowest(func(in *Inlet[T]) string { return in.visible })
}

// progress tells how far the scope is: what readers see of it, and when something
// came last.
func (in *Inlet[T]) progress() (visible string, heardAt time.Time) {
	in.fifo.mu.Lock()
	defer in.fifo.mu.Unlock()
	return in.visible, in.heardAt
}

// settleLocked notes which scopes' first lists have become visible: those that have nothing
// left pending or handed out.
func (f *DeltaFIFO[T]) settleLocked() {
	oldest := f.pending.oldest()
	if f.busy {
		oldest = 0
	}
	f.noteSyncedLocked(oldest)
	allSynced, allSettled := true, true
	for _, in := range f.scopes.waiting {
		allSynced = allSynced && !in.founding
		allSettled = allSettled && (isClosed(in.settled) || !in.founding)
	}
	if !f.founded {
		return
	}
	if allSynced && !isClosed(f.synced) {
		close(f.synced)
	}
	if allSettled && !isClosed(f.settled) {
		close(f.settled)
	}
}

// noteSyncedLocked opens the scopes whose first lists are older than all that readers
// can't see yet.
func (f *DeltaFIFO[T]) noteSyncedLocked(oldest uint64) {
	f.scopes.waiting = slices.DeleteFunc(f.scopes.waiting, func(in *Inlet[T]) bool {
		if !in.listed || in.unpopped || oldest <= in.initialEnd {
			return false
		}
		in.countLateLocked()
		in.isSynced.Store(true)
		f.unsynced.Add(-1)
		in.endWaitLocked()
		close(in.synced)
		return true
	})
}

// countLateLocked counts a gap where subscribers have not waited for the first list. Nobody is told what of the scope
// was deleted before it.
func (in *Inlet[T]) countLateLocked() {
	if in.onGap != nil && isClosed(in.ready) {
		in.onGap()
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/engine/mutation"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/internal/engine/timetable"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// controller is the one goroutine that writes the store and decides who is told what. Everything reaches it through
// the queue, so it needs no lock. Readers see a batch before any subscriber hears of it, and a subscriber joins
// between two batches.
type controller[T any] struct {
	fifo      *DeltaFIFO[T]
	store     *store.Store[T]
	processor *processor[T]
	opts      *Options[T]
	resync    *resyncer
	ready     <-chan struct{}       // closed when subscribers can count as synced
	mutations *mutation.Detector[T] // nil unless they are looked for
	waiting   []*subscriber[T]      // those who join when the first list is there, to be told what has changed since it was saved
	past      *past[T]              // nil for none

	processed reflector.Histogram // see Counts

	// launch gives a subscriber that has joined its goroutine. It reports false when
	// the informer is stopping.
	launch func(*subscriber[T]) bool
}

func (c *controller[T]) run(ctx context.Context) error {
	synced := false
	for ctx.Err() == nil {
		batch, ok := c.fifo.Next()
		if ok {
			c.process(batch)
		}
		if !synced && isClosed(c.ready) {
			synced = true
			c.processor.markSynced()
		}
		if len(c.waiting) > 0 && (synced || c.listed()) {
			c.admitAll()
		}
		// A resync's next chunk follows a batch that has drained, so that no more than
		// one chunk is ever pending, and a live event waits for one at most.
		if chunk, more := c.resync.refill(); more {
			c.fifo.sync(chunk.Keys, chunk.To, chunk.Origin)
		} else if !ok {
			select {
			case <-c.fifo.ready:
			case <-ctx.Done():
			}
		}
	}
	return ctx.Err()
}

func (c *controller[T]) process(batch Batch[T]) {
	entries := batch.controls
	defer func() { // some are left if something that it calls has panicked
		for _, entry := range entries {
			entry.abandon(ErrStopped)
		}
	}()
	began := time.Now()
	events := c.apply(batch)
	now := time.Now()
	if len(batch.controls) > 0 || c.fifo.unsynced.Load() > 0 {
		c.fifo.shown()
	}
	c.testify(events)
	c.processor.publish(now, events)
	if batch.Len() > 0 {
		c.processed.Observe(time.Since(began))
	}
	for len(entries) > 0 {
		entry := entries[0]
		entries = entries[1:]
		entry.carryOut()
	}
}

// apply makes the batch visible in the store, and returns what there is to tell.
func (c *controller[T]) apply(batch Batch[T]) []event[T] {
	if len(batch.items) == 0 && batch.version == "" {
		return nil
	}
	events := make([]event[T], len(batch.items))
	n, done := 0, false
	txn := c.store.Begin(len(batch.items))
	defer func() {
		if !done { // an index function has panicked, which ends the informer; the store can be read and written
			txn.Commit("")
		}
	}()
	for i := range batch.items {
		events[n] = batch.items[i].event
		if c.settle(txn, &events[n]) {
			n++
		}
	}
	if n < len(events) { // the last event that nobody is told of must not keep its objects
		events[n] = event[T]{}
	}
	c.observe(events[:n])
	done = true
	txn.Commit(batch.version)
	if err := txn.Err(); err != nil {
		c.opts.Log.Error(err, "An index function failed; reads by that index miss the object", "kind", c.opts.Name)
	}
	return events[:n]
}

// settle applies one event to the store, and completes it with what was there before. It
// reports whether there is anything to tell.
func (c *controller[T]) settle(txn *store.Txn[T], e *event[T]) bool {
	switch e.Op {
	case delta.Sync:
		obj, there := txn.Get(e.Key)
		return there && c.show(e, obj)
	case delta.Deleted:
		old, there := txn.Remove(e.Key)
		e.Old = old
		return there
	case delta.OutOfScope:
		panic("BUG: OutOfScope does not come through the queue")
	case delta.Added, delta.Updated, delta.Replaced:
		return c.put(txn, e)
	default:
		panic(fmt.Sprintf("BUG: delta for %s has op %s", e.Key, e.Op))
	}
}

// put is settle for a state of an object that is there.
func (c *controller[T]) put(txn *store.Txn[T], e *event[T]) bool {
	old, there, shown := txn.Replace(e.Key, e.New, func(old T) bool { return c.shows(e, old) })
	if shown {
		return c.show(e, old)
	}
	listed := e.Op == delta.Replaced
	e.Old, e.Op = old, delta.Added
	if there {
		e.Op, e.Initial = delta.Updated, false
	}
	e.Relisted = listed && !e.Initial || e.hides && there
	return true
}

// shows reports whether an event shows the state that the store already has. For a list the version decides unless
// that is not to be believed, because comparing objects makes a relist expensive. Contents are compared for a watch,
// which rarely brings a known version: it repeats an event, or the server changes objects without new versions.
func (c *controller[T]) shows(e *event[T], old T) bool {
	if !c.opts.Traits.SameState(old, e.New) {
		return false
	}
	return e.Op == delta.Replaced && !e.foreign || c.opts.Traits.SameContent(old, e.New)
}

// show completes the event of an object that did not change, if somebody is to
// see it.
func (c *controller[T]) show(e *event[T], obj T) bool {
	if e.Op != delta.Sync || e.Origin == nil { // a change that turned out to be none, or what a relist shows
		e.to, e.Origin = c.audienceOfUnchanged(), nil
	}
	if e.to.Empty() {
		return false
	}
	e.Op, e.Initial = delta.Sync, false
	e.Old, e.New, e.Version = obj, obj, c.opts.Traits.Version(obj)
	return true
}

// audienceOfUnchanged returns who is shown an object that did not change.
func (c *controller[T]) audienceOfUnchanged() *timetable.Audience {
	if !c.opts.ShowUnchanged {
		return timetable.Nobody
	}
	if to := c.resync.takers(); !to.Empty() {
		return to
	}
	return timetable.Everyone
}

// observe has the mutation detector, if there is one, take note of what was stored.
func (c *controller[T]) observe(events []event[T]) {
	if c.mutations == nil {
		return
	}
	for i := range events {
		c.mutations.Observe(&events[i].Delta)
	}
}

// join tells a subscriber of everything that the store has and, from the next batch
// on, of what changes. One that compares waits for the first list.
func (c *controller[T]) join(l *subscriber[T]) {
	if l.saved && !c.listed() {
		c.waiting = append(c.waiting, l)
		return
	}
	c.admit(l)
}

// admit is join for a subscriber that need not wait.
func (c *controller[T]) admit(l *subscriber[T]) {
	view := c.store.View()
	var there inventory[T] = view
	if l.saved && c.past != nil && c.listed() {
		there = &comparison[T]{View: view, fifo: c.fifo, past: c.past}
	}
	if c.processor.join(l, there) && !c.launch(l) {
		c.processor.leave(l)
	}
}

// admitAll lets those join who have waited for the first list.
func (c *controller[T]) admitAll() {
	for _, l := range c.waiting {
		c.admit(l)
	}
	c.waiting = nil
}

// dismiss takes the objects of a scope out of the store, all in one commit, and tells the subscribers if they are to know.
func (c *controller[T]) dismiss(gone reach, how informer.Removal) {
	var keys []delta.Key
	view := c.store.View()
	for key := range view.Keys(gone.namespace) {
		if gone.has(key.Namespace) {
			keys = append(keys, key)
		}
	}
	view.Release()
	slices.SortFunc(keys, delta.Key.Compare)
	now, version := time.Now(), c.fifo.visibleVersion()
	events := make([]event[T], len(keys))
	_ = c.store.Write(len(keys), version, func(txn *store.Txn[T]) {
		for i, key := range keys {
			old, _ := txn.Remove(key)
			events[i].Delta = delta.Delta[T]{Key: key, Op: delta.OutOfScope, Old: old, Version: c.opts.Traits.Version(old), Seen: now}
		}
	})
	c.observe(events)
	if how == informer.AsOutOfScope {
		c.testify(events)
		c.processor.publish(now, events)
	}
}

// Witness is shown what subscribers are told, batch by batch, before they are. The Controller
// waits for it. A delta may not be kept by its address, and not be changed.
type Witness[T any] interface {
	Begin()
	Add(d *delta.Delta[T])
	End()
}

// testify shows the events to the witness.
func (c *controller[T]) testify(events []event[T]) {
	if c.opts.Witness == nil || len(events) == 0 {
		return
	}
	w := c.opts.Witness()
	if w == nil {
		return
	}
	w.Begin()
	defer w.End()
	for i := range events {
		w.Add(&events[i].Delta)
	}
}

package engine

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/reflector"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// This file is about an informer that begins with a state that was saved. Subscribers of an
// earlier process have dealt with that state. So those who ask for it are told it first, marked
// Remembered, and then everything that happened since, however late they come:
//
//	saved state ──▶ held ──▶ log: what happened since ──────────▶
//	                 ▲                        ▲
//	          who recalls begins here         others begin here, with what there is now

// asSaved is the origin of an object of the saved state.
var asSaved = &delta.Origin{Remembered: true}

var _ reflector.Recaller[int] = &inlet[int]{}

// Recall puts a saved state into the store, and returns when it can be read. Nobody counts as
// synced before CaughtUp. The objects went through the transform before they were saved.
func (in *inlet[T]) Recall(ctx context.Context, objs []T, version string) error {
	if err := in.replace(objs, reflector.Replacement{Version: version, Ingested: true, Recalled: true}); err != nil {
		return err
	}
	f := in.fifo
	f.mu.Lock()
	answer := in.holding
	in.holding = nil
	f.mu.Unlock()
	if answer == nil {
		return ErrStopped
	}
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// recallLocked notes that a saved state is pending, and has the Controller hold it.
func (in *inlet[T]) recallLocked(version string, now time.Time) {
	in.recalled = true
	in.heardLocked(version, now)
	if in.fifo.closed {
		return
	}
	answer := make(chan error, 1)
	in.holding = answer
	in.fifo.pending.controls = append(in.fifo.pending.controls, &hold[T]{answer: answer})
	in.fifo.ringLocked()
}

// CaughtUp says that what happened since the saved state has been pushed, as far as the
// server had told of it by now.
func (in *inlet[T]) CaughtUp() {
	f := in.fifo
	f.mu.Lock()
	defer f.mu.Unlock()
	if in.closed || in.listed {
		return
	}
	in.heardAt = time.Now()
	in.listed, in.initialEnd = true, f.arrived
	f.settleLocked()
	f.ringLocked()
}

// hold has the Controller keep the store as it is now for subscribers who recall.
type hold[T any] struct{ answer chan error }

func (c *hold[T]) abandon(err error) { c.answer <- err }

// held is a state of the store with the place in the log that follows it.
type held[T any] struct {
	inventory[T]
	next  cursor[T]
	users atomic.Int32 // subscribers that read it, and the informer. Invariant: released when there are none.
}

// Release is the inventory's, for one user.
func (h *held[T]) Release() {
	if h.users.Add(-1) == 0 {
		h.inventory.Release()
	}
}

// recalled is what a subscriber is told that recalls.
type recalled[T any] struct{ *held[T] }

// hold keeps the store as it is.
func (c *controller[T]) hold(e *hold[T]) {
	h := &held[T]{inventory: c.store.View(), next: cursor[T]{node: c.processor.log.end.Load()}}
	h.users.Add(1)
	c.let()
	c.held.Store(h)
	c.processor.recalled()
	e.answer <- nil
}

// let ends the hold, if there is one.
func (c *controller[T]) let() {
	if h := c.held.Swap(nil); h != nil {
		h.Release()
	}
}

// ForgetRecalled lets go of the saved state with which the informer has begun. Those who come later are told what there is.
func (i *Informer[T]) ForgetRecalled() { i.fifo.control(&letGo[T]{}) }

// letGo has the Controller end the hold.
type letGo[T any] struct{}

func (*letGo[T]) abandon(error) {} // it ends with the Controller

// beginning is what a subscriber is told first.
type beginning uint8

const (
	withPresent beginning = iota + 1
	withSaved             // if there is a saved state, and otherwise withPresent
)

// begins notes what a subscriber that has not joined is told first.
func (p *processor[T]) begins(l *subscriber[T], with beginning) {
	l.from = with
	if with != withSaved {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recallers = append(p.recallers, l)
}

// recalled notes that those who have joined were told the saved state.
func (p *processor[T]) recalled() {
	for _, l := range *p.subscribers.Load() {
		l.recalled.Store(true)
	}
}

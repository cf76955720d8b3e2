package engine

import (
	"context"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
)

// Pop waits until something is pending and hands out all of it. The caller
// applies the batch and then calls Release; what was handed out counts as known
// until then. Pop returns ErrClosed when the queue is closed and empty.
func (f *DeltaFIFO[T]) Pop(ctx context.Context) (Batch[T], error) {
	for {
		if batch, ok, err := f.tryPop(); ok || err != nil {
			return batch, err
		}
		select {
		case <-f.ready:
		case <-ctx.Done():
			return Batch[T]{}, ctx.Err()
		}
	}
}

// next releases the batch that was handed out before, if there is one, and hands out what
// is pending. The Controller takes the lock once for both.
func (f *DeltaFIFO[T]) next() (Batch[T], bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.busy {
		f.releaseLocked()
	}
	return f.popLocked()
}

func (f *DeltaFIFO[T]) tryPop() (Batch[T], bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.popLocked()
}

func (f *DeltaFIFO[T]) popLocked() (Batch[T], bool, error) {
	lock.Invariant(!f.busy, "pop before the last batch was released")
	if f.pending.empty() {
		if f.closed {
			f.ringLocked() // wake the next one that waits, if any
			return Batch[T]{}, false, ErrClosed
		}
		return Batch[T]{}, false, nil
	}
	f.pending, f.out = f.out, f.pending
	f.busy = true
	f.handOutLocked()
	return f.out.batch(), true, nil
}

// Release says that everything handed out is visible in the store.
func (f *DeltaFIFO[T]) Release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.releaseLocked()
}

func (f *DeltaFIFO[T]) releaseLocked() {
	lock.Invariant(f.busy, "release without a batch")
	f.busy = false
	f.out.reset()
	f.scopes.reveal()
	if f.unsynced.Load() > 0 || !isClosed(f.synced) {
		f.settleLocked()
	}
}

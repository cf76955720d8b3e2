package engine

import (
	"context"
	"slices"

	"github.com/delta-runtime/delta-runtime/internal/lock"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Pop waits until something is pending and hands out all of it. The caller
// applies the batch and then calls Release; what was handed out counts as known
// until then. Pop returns ErrClosed when the queue is closed and empty.
func (f *DeltaFIFO[T]) Pop(ctx context.Context) (Batch[T], error) { return f.await(ctx, f.tryPop) }

// await tries until there is something to hand out.
func (f *DeltaFIFO[T]) await(ctx context.Context, try func() (Batch[T], bool, error)) (Batch[T], error) {
	for {
		if batch, ok, err := try(); ok || err != nil {
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

// PopKey is [DeltaFIFO.Pop] for one key: the one whose first delta is the oldest, with all that is pending for it.
// client-go's DeltaFIFO pops so. A queue is popped either by key or as a whole; one that is popped by key has no use
// for versions.
func (f *DeltaFIFO[T]) PopKey(ctx context.Context) (Batch[T], error) {
	return f.await(ctx, f.tryPopKey)
}

func (f *DeltaFIFO[T]) tryPopKey() (Batch[T], bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	lock.Invariant(!f.busy, "pop before the last batch was released")
	if f.pending.live == 0 {
		if f.closed {
			f.ringLocked()
			return Batch[T]{}, false, ErrClosed
		}
		return Batch[T]{}, false, nil
	}
	f.pending.takeOldest(&f.out)
	f.busy = true
	f.handOutLocked()
	f.ringLocked() // there may be more
	return f.out.batch(), true, nil
}

// Keys returns the keys with pending deltas, that of the oldest delta first.
func (f *DeltaFIFO[T]) Keys() []delta.Key {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.AppendSeq(make([]delta.Key, 0, f.pending.live), f.pending.keys())
}

// Pending returns what is pending for a key, oldest first.
func (f *DeltaFIFO[T]) Pending(key delta.Key) []delta.Delta[T] {
	f.mu.Lock()
	defer f.mu.Unlock()
	var deltas []delta.Delta[T]
	for it := range f.pending.chain(key) {
		deltas = append(deltas, it.Delta)
	}
	slices.Reverse(deltas)
	return deltas
}

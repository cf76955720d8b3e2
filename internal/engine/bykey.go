package engine

import (
	"context"
	"slices"

	"github.com/delta-runtime/delta-runtime/internal/lock"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

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

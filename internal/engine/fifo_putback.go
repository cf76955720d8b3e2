package engine

import (
	"github.com/delta-runtime/delta-runtime/internal/invariant"
)

// PutBack is for a consumer that could not apply what it was handed: instead of
// Release, everything goes back to the front of the queue, before what has arrived
// since.
func (f *DeltaFIFO[T]) PutBack() {
	f.mu.Lock()
	defer f.mu.Unlock()
	invariant.Check(f.busy, "put back without a batch")
	merged := pile[T]{controls: append(f.out.controls, f.pending.controls...), version: f.pending.version}
	if merged.version == "" {
		merged.version = f.out.version
	}
	for i := range f.out.items {
		merged.add(f.out.items[i])
	}
	for i := range f.pending.items {
		if f.pending.items[i].op != 0 {
			merged.add(f.pending.items[i])
		}
	}
	f.busy = false
	f.pending, f.out = merged, pile[T]{}
	f.ringLocked()
}

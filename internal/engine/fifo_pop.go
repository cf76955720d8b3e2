package engine

// Next hands out all that is pending, if there is anything. The batch before it is visible in the store by now; until
// then it counts as known.
func (f *DeltaFIFO[T]) Next() (Batch[T], bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.busy {
		f.releaseLocked()
	}
	if f.pending.empty() {
		return Batch[T]{}, false
	}
	f.pending, f.out = f.out, f.pending
	f.busy = true
	if f.out.version != "" {
		f.out.version = f.scopes.handOut()
	}
	return Batch[T]{items: f.out.items, controls: f.out.controls, version: f.out.version}, true
}

// releaseLocked notes that everything handed out is visible in the store.
func (f *DeltaFIFO[T]) releaseLocked() {
	f.busy = false
	f.out.reset()
	f.scopes.reveal()
	if f.unsynced.Load() > 0 || !isClosed(f.synced) {
		f.settleLocked()
	}
}

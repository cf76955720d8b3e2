package toolscache

import (
	"slices"
	"sync"

	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/internal/engine/peer"
)

// DeltaFIFO is client-go's queue of the same name: Pop hands out one key at a time with all its
// deltas. Our informers have a queue of their own, in internal/engine.
//
// It differs from client-go's in that the queue is not locked while Pop processes, so a
// process function may call it, except for Pop: what was handed out counts as known. And HasSynced
// turns true when the last object of the first Replace has been processed, not when it was taken.
type DeltaFIFO struct {
	opts    DeltaFIFOOptions
	synced  chan struct{}
	popping lock.Mutex[lock.Popping] // held while a Pop processes: one at a time, as in client-go

	mu      lock.Mutex[lock.KeyFIFO] // guards everything below; held while KnownObjects is asked
	change  sync.Cond
	pending map[string]*waiting
	order   []*waiting // the pending, oldest first
	out     handedOut
	closed  bool
	filled  bool // there was a Replace, or a change before it
	initial int  // keys up to the end of the first Replace that are not processed yet; less than none is none
	lists   int  // counts Replaces
}

// waiting is what there is to tell of a key.
type waiting struct {
	key    string
	deltas cache.Deltas   // oldest first
	room   [1]cache.Delta // for the usual one
	listed int            // the last Replace whose list had the key
}

// handedOut is a key whose deltas are being processed. The deltas themselves belong to the process function.
type handedOut struct {
	keys   int // one, or none
	key    string
	newest cache.Delta
}

// DeltaFIFOOptions are client-go's.
type DeltaFIFOOptions = cache.DeltaFIFOOptions

var (
	_ cache.Queue             = &DeltaFIFO{}
	_ cache.TransformingStore = &DeltaFIFO{}
)

// NewDeltaFIFOWithOptions returns an empty queue.
func NewDeltaFIFOWithOptions(opts DeltaFIFOOptions) *DeltaFIFO {
	if opts.Name == "" {
		opts.Name = "DeltaFIFO"
	}
	if opts.KeyFunction == nil {
		opts.KeyFunction = cache.MetaNamespaceKeyFunc
	}
	f := &DeltaFIFO{opts: opts, synced: make(chan struct{}), pending: map[string]*waiting{}}
	f.change.L = &f.mu
	return f
}

// KeyOf returns the key of an object, of a tombstone, or of the newest of Deltas.
func (f *DeltaFIFO) KeyOf(obj any) (string, error) {
	if deltas, ok := obj.(cache.Deltas); ok {
		if len(deltas) == 0 {
			return "", cache.KeyError{Obj: obj, Err: cache.ErrZeroLengthDeltasObject}
		}
		obj = deltas.Newest().Object
	}
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		return tombstone.Key, nil
	}
	key, err := f.opts.KeyFunction(obj)
	if err != nil {
		return "", cache.KeyError{Obj: obj, Err: err}
	}
	return key, nil
}

// Transformer returns the function that objects are passed through when added.
func (f *DeltaFIFO) Transformer() cache.TransformFunc { return f.opts.Transformer }

// transform is called without the lock.
func (f *DeltaFIFO) transform(obj any) (any, error) {
	if _, tombstone := obj.(cache.DeletedFinalStateUnknown); tombstone || f.opts.Transformer == nil {
		return obj, nil
	}
	return f.opts.Transformer(obj)
}

// Add queues an Added delta.
func (f *DeltaFIFO) Add(obj any) error { return f.push(cache.Added, obj) }

// Update queues an Updated delta.
func (f *DeltaFIFO) Update(obj any) error { return f.push(cache.Updated, obj) }

// Delete queues a Deleted delta, if the object is known to exist. If the transformer refuses the
// final state, it is a tombstone with the last known one.
func (f *DeltaFIFO) Delete(obj any) error { return f.push(cache.Deleted, obj) }

func (f *DeltaFIFO) push(kind cache.DeltaType, obj any) error {
	key, err := f.KeyOf(obj)
	if err != nil {
		return err
	}
	obj, refused := f.transform(obj)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fillLocked(0)
	if kind == cache.Deleted {
		last, there := f.latestLocked(key)
		switch {
		case !there && f.pending[key] == nil:
			return refused
		case there && refused != nil:
			f.addLocked(key, missed(key, last))
		}
	}
	if refused == nil {
		f.addLocked(key, cache.Delta{Type: kind, Object: obj})
	}
	return refused
}

func missed(key string, last any) cache.Delta {
	return cache.Delta{Type: cache.Deleted, Object: cache.DeletedFinalStateUnknown{Key: key, Obj: last}}
}

// addLocked queues a delta. Of two deletions in a row it keeps the one that has the final state.
func (f *DeltaFIFO) addLocked(key string, d cache.Delta) *waiting {
	w := f.pending[key]
	if w == nil {
		w = &waiting{key: key}
		w.deltas = w.room[:0]
		f.pending[key] = w
		f.order = append(f.order, w)
		f.change.Broadcast()
	}
	if newest := w.deltas.Newest(); newest != nil && newest.Type == cache.Deleted && d.Type == cache.Deleted {
		if _, unknown := newest.Object.(cache.DeletedFinalStateUnknown); unknown {
			*newest = d
		}
		return w
	}
	w.deltas = append(w.deltas, d)
	return w
}

// latestLocked returns the newest known state of an object that exists. One that can't be read
// counts as one that exists, as its deletion must not get lost.
func (f *DeltaFIFO) latestLocked(key string) (obj any, there bool) {
	if w := f.pending[key]; w != nil {
		newest := w.deltas.Newest()
		return newest.Object, newest.Type != cache.Deleted
	}
	if f.out.keys > 0 && f.out.key == key {
		return f.out.newest.Object, f.out.newest.Type != cache.Deleted
	}
	if f.opts.KnownObjects == nil {
		return nil, false
	}
	obj, there, err := f.opts.KnownObjects.GetByKey(key)
	return obj, there || err != nil
}

// Replace queues a delta for each object of the list, and a deletion for each
// known object that is not in it.
func (f *DeltaFIFO) Replace(list []any, _ string) error {
	keys, objs := make([]string, len(list)), slices.Clone(list) // the list is the caller's
	for i, obj := range list {
		var err error
		if keys[i], err = f.KeyOf(obj); err != nil {
			return err
		}
		if objs[i], err = f.transform(obj); err != nil {
			return err
		}
	}
	kind := cache.Sync
	if f.opts.EmitDeltaTypeReplaced {
		kind = cache.Replaced
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lists++
	before := len(f.order)
	for i, obj := range objs {
		f.addLocked(keys[i], cache.Delta{Type: kind, Object: obj}).listed = f.lists
	}
	for _, key := range f.absentLocked(before) {
		last, _ := f.latestLocked(key)
		f.addLocked(key, missed(key, last))
	}
	f.fillLocked(len(f.order) + f.out.keys)
	return nil
}

// absentLocked returns the keys of objects that exist and are not in the last list. The first pending ones were before it.
func (f *DeltaFIFO) absentLocked(first int) (absent []string) {
	check := func(key string) {
		if w := f.pending[key]; w != nil && w.listed == f.lists {
			return
		}
		if _, there := f.latestLocked(key); there {
			absent = append(absent, key)
		}
	}
	for _, w := range f.order[:first] {
		check(w.key)
	}
	for _, key := range f.knownLocked() {
		check(key)
	}
	slices.Sort(absent)
	return slices.Compact(absent)
}

// knownLocked returns the keys that are handed out or stored, and maybe one of them twice.
func (f *DeltaFIFO) knownLocked() (keys []string) {
	if f.opts.KnownObjects != nil {
		keys = f.opts.KnownObjects.ListKeys()
	}
	if f.out.keys > 0 {
		keys = append(slices.Clip(keys), f.out.key)
	}
	return keys
}

// Resync queues a Sync delta for each known object that has nothing pending.
func (f *DeltaFIFO) Resync() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.opts.KnownObjects == nil {
		return nil
	}
	for _, key := range f.knownLocked() {
		if f.pending[key] != nil {
			continue
		}
		if obj, there := f.latestLocked(key); there && obj != nil {
			f.addLocked(key, cache.Delta{Type: cache.Sync, Object: obj})
		}
	}
	return nil
}

// fillLocked notes, the first time, how many keys have to be processed before the queue has synced.
func (f *DeltaFIFO) fillLocked(initial int) {
	if f.filled {
		return
	}
	f.filled, f.initial = true, initial
	if initial == 0 {
		close(f.synced)
	}
}

// Pop waits for a key with deltas, calls process with all of them, and returns
// them with process's error.
func (f *DeltaFIFO) Pop(process cache.PopProcessFunc) (any, error) {
	f.popping.Lock()
	defer f.popping.Unlock()
	deltas, err := f.take()
	if err != nil {
		return nil, err
	}
	defer f.release() // also when process panics
	return deltas, process(deltas, !f.HasSynced())
}

func (f *DeltaFIFO) take() (cache.Deltas, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.order) == 0 {
		if f.closed {
			return nil, cache.ErrFIFOClosed
		}
		f.change.Wait()
	}
	first := f.order[0]
	f.order[0] = nil
	f.order = f.order[1:]
	delete(f.pending, first.key)
	f.out = handedOut{keys: 1, key: first.key, newest: *first.deltas.Newest()}
	return first.deltas, nil
}

func (f *DeltaFIFO) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.out = handedOut{}
	if f.initial--; f.initial == 0 {
		close(f.synced)
	}
}

// Close makes Pop return cache.ErrFIFOClosed once nothing is pending.
func (f *DeltaFIFO) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.change.Broadcast()
}

// HasSynced reports whether everything of the first Replace was processed, or
// whether the first call was to Add, Update or Delete.
func (f *DeltaFIFO) HasSynced() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.filled && f.initial <= 0
}

// HasSyncedChecker lets [cache.WaitFor] wait for HasSynced without polling.
func (f *DeltaFIFO) HasSyncedChecker() cache.DoneChecker {
	return peer.NewSyncCheck(f.opts.Name, f.synced)
}

// ListKeys returns the keys that Pop will hand out, in that order.
func (f *DeltaFIFO) ListKeys() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	keys := make([]string, len(f.order))
	for i, w := range f.order {
		keys[i] = w.key
	}
	return keys
}

// GetByKey returns the cache.Deltas that are pending for a key.
func (f *DeltaFIFO) GetByKey(key string) (item any, exists bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if w := f.pending[key]; w != nil {
		return slices.Clone(w.deltas), true, nil
	}
	return cache.Deltas(nil), false, nil
}

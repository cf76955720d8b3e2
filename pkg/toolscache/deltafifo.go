package toolscache

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/lock"
	"github.com/delta-runtime/delta-runtime/internal/peer"
	"github.com/delta-runtime/delta-runtime/internal/reflector"
	"github.com/delta-runtime/delta-runtime/internal/store"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// DeltaFIFO shows an [engine.DeltaFIFO] as client-go's queue of the same name:
// Pop hands out one key at a time with all its deltas.
//
// It differs from client-go's in that the queue is not locked while Pop processes, so a
// process function may call it, except for Pop, and in that HasSynced turns true when the
// last object of the first Replace has been processed, not when it was taken.
type DeltaFIFO struct {
	core *engine.DeltaFIFO[any]
	opts DeltaFIFOOptions

	popping lock.Mutex[lock.Popping] // held while a Pop processes: one at a time, as in client-go

	mu     lock.Mutex[lock.Listed] // guards everything below
	listed bool                    // Replace was called
	synced chan struct{}
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
	f := &DeltaFIFO{opts: opts, synced: make(chan struct{})}
	f.core = engine.NewDeltaFIFO(engine.FIFOOptions[any]{
		Traits:    store.Traits[any]{Key: f.key}, // client-go's queue compares no versions, its consumers do
		Known:     knownObjects(opts.KnownObjects),
		Transform: opts.Transformer,
	})
	return f
}

func (f *DeltaFIFO) key(obj any) (delta.Key, error) {
	if f.opts.KeyFunction == nil {
		return objectKey(obj)
	}
	text, err := f.KeyOf(obj)
	return delta.ParseKey(text), err
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
	keyOf := f.opts.KeyFunction
	if keyOf == nil {
		keyOf = cache.MetaNamespaceKeyFunc
	}
	key, err := keyOf(obj)
	if err != nil {
		return "", cache.KeyError{Obj: obj, Err: err}
	}
	return key, nil
}

// Transformer returns the function that objects are passed through when added.
func (f *DeltaFIFO) Transformer() cache.TransformFunc { return f.opts.Transformer }

// Add queues an Added delta.
func (f *DeltaFIFO) Add(obj any) error { return f.push(delta.Added, obj) }

// Update queues an Updated delta.
func (f *DeltaFIFO) Update(obj any) error { return f.push(delta.Updated, obj) }

// Delete queues a Deleted delta, if the object is known to exist.
func (f *DeltaFIFO) Delete(obj any) error {
	tombstone, ok := obj.(cache.DeletedFinalStateUnknown)
	if !ok {
		return f.push(delta.Deleted, obj)
	}
	f.populate()
	f.core.Forget(delta.ParseKey(tombstone.Key), tombstone.Obj)
	return nil
}

func (f *DeltaFIFO) push(op delta.Op, obj any) error {
	f.populate()
	return f.core.Push(delta.Delta[any]{Op: op, New: obj}, "")
}

// populate notes that the queue is fed without a list, so that there is no list
// to wait for.
func (f *DeltaFIFO) populate() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.listed {
		f.listed = true
		close(f.synced)
	}
}

// Replace queues a delta for each object of the list, and a deletion for each
// known object that is not in it.
func (f *DeltaFIFO) Replace(list []any, _ string) error {
	f.mu.Lock()
	first := !f.listed
	f.listed = true
	f.mu.Unlock()
	if f.opts.Transformer != nil { // whose results take the objects' places in the list
		list = slices.Clone(list)
	}
	if err := f.core.Replace(list, reflector.Replacement{}); err != nil {
		return err
	}
	if first {
		f.checkSynced()
	}
	return nil
}

// checkSynced closes synced when the core says so. Where the queue was fed without
// a list it is closed already.
func (f *DeltaFIFO) checkSynced() {
	if !f.core.HasSynced() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.HasSynced() {
		close(f.synced)
	}
}

// Resync queues a Sync delta for each known object that has nothing pending.
func (f *DeltaFIFO) Resync() error {
	f.core.Resync()
	return nil
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

// take waits for a key that has something to show.
func (f *DeltaFIFO) take() (cache.Deltas, error) {
	for {
		batch, err := f.core.PopKey(context.Background())
		if err != nil {
			return nil, closedError(err)
		}
		deltas := make(cache.Deltas, 0, batch.Len())
		for d := range batch.Deltas() {
			if shown, ok := f.show(d); ok {
				deltas = append(deltas, shown)
			}
		}
		if len(deltas) > 0 {
			return deltas, nil
		}
		f.release() // all it had was a Sync of an object that is gone
	}
}

func (f *DeltaFIFO) release() {
	f.core.Release()
	f.checkSynced()
}

// closedError turns our sentinel into client-go's, which consumers compare with.
func closedError(err error) error {
	if errors.Is(err, engine.ErrClosed) {
		return cache.ErrFIFOClosed
	}
	return fmt.Errorf("pop: %w", err)
}

// show turns a delta into client-go's. A Sync shows the object as it is known now;
// there is nothing to show if it is gone.
func (f *DeltaFIFO) show(d delta.Delta[any]) (cache.Delta, bool) {
	switch {
	case d.Op == delta.Sync:
		obj, ok, err := f.opts.KnownObjects.GetByKey(d.Key.String())
		return cache.Delta{Type: cache.Sync, Object: obj}, ok && err == nil
	case d.Op == delta.Replaced && !f.opts.EmitDeltaTypeReplaced:
		return cache.Delta{Type: cache.Sync, Object: d.New}, true
	case d.Missed:
		return cache.Delta{Type: cache.Deleted, Object: cache.DeletedFinalStateUnknown{Key: d.Key.String(), Obj: d.Old}}, true
	}
	return cache.Delta{Type: deltaTypes[d.Op], Object: d.New}, true
}

var deltaTypes = [...]cache.DeltaType{
	delta.Added:    cache.Added,
	delta.Updated:  cache.Updated,
	delta.Deleted:  cache.Deleted,
	delta.Replaced: cache.Replaced,
	delta.Sync:     cache.Sync,
}

// Close makes Pop return cache.ErrFIFOClosed once nothing is pending.
func (f *DeltaFIFO) Close() { f.core.Close() }

// HasSynced reports whether everything of the first Replace was processed, or
// whether the first call was to Add, Update or Delete.
func (f *DeltaFIFO) HasSynced() bool { return cache.IsDone(f.HasSyncedChecker()) }

// HasSyncedChecker lets [cache.WaitFor] wait for HasSynced without polling.
func (f *DeltaFIFO) HasSyncedChecker() cache.DoneChecker {
	return peer.NewSyncCheck(f.opts.Name, f.synced)
}

// ListKeys returns the keys that Pop will hand out, in that order.
func (f *DeltaFIFO) ListKeys() []string {
	keys := f.core.Keys()
	texts := make([]string, len(keys))
	for i, key := range keys {
		texts[i] = key.String()
	}
	return texts
}

// GetByKey returns the cache.Deltas that are pending for a key.
func (f *DeltaFIFO) GetByKey(key string) (item any, exists bool, err error) {
	var deltas cache.Deltas
	for _, d := range f.core.Pending(delta.ParseKey(key)) {
		if shown, ok := f.show(d); ok {
			deltas = append(deltas, shown)
		}
	}
	return deltas, len(deltas) > 0, nil
}

// known shows client-go's KnownObjects to the queue.
type known struct{ objects cache.KeyListerGetter }

func knownObjects(objects cache.KeyListerGetter) engine.Known[any] {
	if objects == nil {
		return nil
	}
	return known{objects}
}

// Get takes an object that cannot be read for one that exists: its deletion must
// not get lost.
func (k known) Get(key delta.Key) (any, bool) {
	obj, exists, err := k.objects.GetByKey(key.String())
	return obj, exists || err != nil
}

func (k known) Keys(namespace string) iter.Seq[delta.Key] {
	return func(yield func(delta.Key) bool) {
		for _, text := range k.objects.ListKeys() {
			key := delta.ParseKey(text)
			if namespace != "" && namespace != key.Namespace {
				continue
			}
			if !yield(key) {
				return
			}
		}
	}
}

func (k known) Count(namespace string) int {
	if namespace == "" {
		return len(k.objects.ListKeys())
	}
	n := 0
	for range k.Keys(namespace) {
		n++
	}
	return n
}

package sim

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
)

// looseFIFO is the smallest correct FIFO that accepts calls while an item is processed. It
// exists to be broken: see [bug].
type looseFIFO struct {
	options cache.DeltaFIFOOptions
	bug     bug

	mu     sync.Mutex // guards everything below; not held while an item is processed
	ready  sync.Cond
	order  []string
	items  map[string]cache.Deltas
	out    map[string]cache.Deltas // handed out, and not in the store yet
	filled bool
	first  int // how many items of the first list are to come
	synced chan struct{}
	closed bool
}

// bug is a fault that the scripts must be able to find.
type bug string

const (
	noBug          bug = ""
	bugOutDelete   bug = "Delete does not see what was handed out"
	bugOutReplace  bug = "Replace does not see what was handed out"
	bugOutSync     bug = "Resync does not see what was handed out"
	bugSyncedEarly bug = "synced before the first list is in the store"
	bugOrder       bug = "the order of items that were handed out is wrong"
	bugFold        bug = "an addition after a deletion swallows it"
)

var allBugs = []bug{bugOutDelete, bugOutReplace, bugOutSync, bugSyncedEarly, bugOrder, bugFold}

func newLooseFIFO(o cache.DeltaFIFOOptions, b bug) *looseFIFO {
	f := &looseFIFO{
		options: o, bug: b,
		items: map[string]cache.Deltas{}, out: map[string]cache.Deltas{},
		synced: make(chan struct{}),
	}
	f.ready.L = &f.mu
	return f
}

func looseConstructor(b bug) fifoConstructor {
	return func(o cache.DeltaFIFOOptions) deltaFIFO {
		f := newLooseFIFO(o, b)
		return deltaFIFO{Queue: f, keys: func() []string {
			f.mu.Lock()
			defer f.mu.Unlock()
			return slices.Clone(f.order)
		}}
	}
}

func (f *looseFIFO) keyOf(obj any) string {
	if d, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		return d.Key
	}
	key, err := f.options.KeyFunction(obj)
	if err != nil {
		panic(err)
	}
	return key
}

// latestLocked is the state of a key that the consumer will have when it has processed its
// items.
func (f *looseFIFO) latestLocked(key string, ignore bool) (any, bool) {
	if deltas := f.out[key]; len(deltas) > 0 && !ignore && f.options.KnownObjects != nil {
		newest := deltas[len(deltas)-1]
		return newest.Object, newest.Type != cache.Deleted
	}
	if f.options.KnownObjects == nil {
		return nil, false
	}
	obj, ok, _ := f.options.KnownObjects.GetByKey(key)
	return obj, ok
}

func (f *looseFIFO) pushLocked(kind cache.DeltaType, obj any) {
	key := f.keyOf(obj)
	deltas := f.items[key]
	if len(deltas) == 0 {
		f.order = append(f.order, key)
	}
	f.items[key] = f.appended(deltas, cache.Delta{Type: kind, Object: obj})
	f.ready.Broadcast()
}

func (f *looseFIFO) appended(deltas cache.Deltas, d cache.Delta) cache.Deltas {
	last := len(deltas) - 1
	if last >= 0 && deltas[last].Type == cache.Deleted {
		if d.Type == cache.Deleted {
			if _, unknown := deltas[last].Object.(cache.DeletedFinalStateUnknown); unknown {
				deltas[last] = d
			}
			return deltas
		}
		if f.bug == bugFold {
			deltas[last] = d
			return deltas
		}
	}
	return append(deltas, d)
}

func (f *looseFIFO) transformed(obj any) any {
	if _, tombstone := obj.(cache.DeletedFinalStateUnknown); tombstone || f.options.Transformer == nil {
		return obj
	}
	obj, err := f.options.Transformer(obj)
	if err != nil {
		panic(err)
	}
	return obj
}

func (f *looseFIFO) Add(obj any) error    { return f.change(cache.Added, obj) }
func (f *looseFIFO) Update(obj any) error { return f.change(cache.Updated, obj) }

func (f *looseFIFO) change(kind cache.DeltaType, obj any) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fillLocked(0)
	f.pushLocked(kind, f.transformed(obj))
	return nil
}

func (f *looseFIFO) Delete(obj any) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fillLocked(0)
	key := f.keyOf(obj)
	if _, there := f.latestLocked(key, f.bug == bugOutDelete); there || len(f.items[key]) > 0 {
		f.pushLocked(cache.Deleted, f.transformed(obj))
	}
	return nil
}

func (f *looseFIFO) Replace(list []any, _ string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	kind := cache.Sync
	if f.options.EmitDeltaTypeReplaced {
		kind = cache.Replaced
	}
	listed := map[string]bool{}
	for _, obj := range list {
		listed[f.keyOf(obj)] = true
		f.pushLocked(kind, f.transformed(obj))
	}
	gone := 0
	for _, key := range f.knownLocked(f.bug == bugOutReplace) {
		if listed[key] {
			continue
		}
		var last any
		if deltas := f.items[key]; len(deltas) > 0 {
			last = deltas[len(deltas)-1].Object
			if d, ok := last.(cache.DeletedFinalStateUnknown); ok {
				last = d.Obj
			}
		} else {
			last, _ = f.latestLocked(key, f.bug == bugOutReplace)
		}
		gone++
		f.pushLocked(cache.Deleted, cache.DeletedFinalStateUnknown{Key: key, Obj: last})
	}
	f.fillLocked(len(listed) + gone)
	return nil
}

// knownLocked are the keys that are pending, and those that the consumer has or will have.
func (f *looseFIFO) knownLocked(ignoreOut bool) []string {
	set := map[string]bool{}
	for key := range f.items {
		set[key] = true
	}
	if f.options.KnownObjects != nil {
		for _, key := range f.options.KnownObjects.ListKeys() {
			set[key] = true
		}
		for key := range f.out {
			set[key] = true
		}
	}
	for key := range set {
		if _, there := f.latestLocked(key, ignoreOut); !there && len(f.items[key]) == 0 {
			delete(set, key)
		}
	}
	return keysOf(set)
}

func (f *looseFIFO) Resync() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.options.KnownObjects == nil {
		return nil
	}
	for _, key := range f.knownLocked(f.bug == bugOutSync) {
		if len(f.items[key]) > 0 {
			continue
		}
		if obj, there := f.latestLocked(key, f.bug == bugOutSync); there {
			f.pushLocked(cache.Sync, obj)
		}
	}
	return nil
}

func (f *looseFIFO) fillLocked(first int) {
	if !f.filled {
		f.filled, f.first = true, first
		f.countLocked(0)
	}
}

func (f *looseFIFO) countLocked(processed int) {
	before := f.first
	f.first = max(0, f.first-processed)
	if f.first == 0 && (before > 0 || processed == 0) {
		select {
		case <-f.synced:
		default:
			close(f.synced)
		}
	}
}

func (f *looseFIFO) Pop(process cache.PopProcessFunc) (any, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.order) == 0 {
		if f.closed {
			return nil, cache.ErrFIFOClosed
		}
		f.ready.Wait()
	}
	key := f.order[0]
	f.order = f.order[1:]
	deltas := f.items[key]
	delete(f.items, key)
	if f.bug == bugOrder {
		slices.Reverse(deltas)
	}
	f.out[key] = deltas
	initial := !cache.IsDone(f)
	if f.bug == bugSyncedEarly {
		f.countLocked(1)
	}
	f.mu.Unlock()
	err := process(deltas, initial)
	f.mu.Lock()
	delete(f.out, key)
	if f.bug != bugSyncedEarly {
		f.countLocked(1)
	}
	return deltas, err
}

func (f *looseFIFO) HasSynced() bool                     { return cache.IsDone(f) }
func (f *looseFIFO) HasSyncedChecker() cache.DoneChecker { return f }
func (f *looseFIFO) Name() string                        { return "loose FIFO" }
func (f *looseFIFO) Done() <-chan struct{}               { return f.synced }
func (f *looseFIFO) Transformer() cache.TransformFunc    { return f.options.Transformer }

func (f *looseFIFO) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.ready.Broadcast()
}

// TestDeltaFIFOScriptsBite breaks a FIFO in every way that the scripts should find. The FIFO
// without a bug passes. So calls during the processing of an item have the same results
// without a lock.
func TestDeltaFIFOScriptsBite(t *testing.T) {
	t.Run("unbroken", func(t *testing.T) {
		for seed := range seeds.Count(t, 200) {
			if text := differFIFO(newFIFOScript(seed), looseConstructor(noBug)); text != "" {
				t.Fatalf("seed %d: %s", seed, text)
			}
		}
	})
	for _, b := range allBugs {
		t.Run(string(b), func(t *testing.T) {
			for seed := range uint64(100) {
				if differFIFO(newFIFOScript(seed), looseConstructor(b)) != "" {
					t.Log("shown by seed", fmt.Sprint(seed))
					return
				}
			}
			t.Error("100 scripts do not show it")
		})
	}
}

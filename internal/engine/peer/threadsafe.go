package peer

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/features"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// anyTraits promise nothing: users of client-go's stores put what they like, and
// may change an object without giving it a new resource version.
var anyTraits = store.Traits[any]{
	Version: func(any) string { return "" },
	UID:     func(any) string { return "" },
}

// threadSafe shows a store to users who name the keys themselves.
type threadSafe struct {
	store *store.Store[any]
	// write makes a transaction, and index adds indexes. Callers take turns. When either returns, what it has written can be read.
	write func(size int, version string, change func(*store.Txn[any]))
	index func(store.Indexers[any]) error
	turn  lock.Mutex[lock.StoreTurns] // the right to write, where no informer does

	mu       lock.Mutex[lock.Indexers] // guards what follows
	indexers cache.Indexers
}

var _ cache.ThreadSafeStoreWithTransaction = (*threadSafe)(nil)

// NewThreadSafe returns an empty store that has these indexers.
func NewThreadSafe(indexers cache.Indexers) cache.ThreadSafeStore { return newThreadSafe(indexers) }

func newThreadSafe(indexers cache.Indexers) *threadSafe {
	s := showStore(store.New(anyTraits, Typed(indexers)), indexers)
	s.write = func(size int, version string, change func(*store.Txn[any])) {
		s.turn.Lock()
		defer s.turn.Unlock()
		if err := s.store.Write(size, version, change); err != nil {
			panic(fmt.Errorf("write to store: %w", err))
		}
	}
	s.index = func(indexers store.Indexers[any]) error {
		s.turn.Lock()
		defer s.turn.Unlock()
		return s.store.AddIndexers(indexers)
	}
	return s
}

// showStore shows a store that has these indexers. The caller says how it is written.
func showStore(ours *store.Store[any], indexers cache.Indexers) *threadSafe {
	s := &threadSafe{store: ours, indexers: cache.Indexers{}}
	maps.Copy(s.indexers, indexers)
	return s
}

// Typed are the indexers as our stores have them.
func Typed(indexers cache.Indexers) store.Indexers[any] {
	ours := make(store.Indexers[any], len(indexers))
	for name, values := range indexers {
		ours[name] = store.IndexFunc[any](values)
	}
	return ours
}

// versionOf is the resource version that writing obj brings the store to; empty,
// which leaves it alone, where obj has none.
func versionOf(obj any) string {
	m, err := meta.Accessor(obj)
	if err != nil {
		return ""
	}
	return m.GetResourceVersion()
}

func (s *threadSafe) Add(key string, obj any) { s.Update(key, obj) }

func (s *threadSafe) Update(key string, obj any) {
	s.write(1, versionOf(obj), func(txn *store.Txn[any]) { txn.Put(delta.ParseKey(key), obj) })
}

func (s *threadSafe) Delete(key string) { s.DeleteWithObject(key, nil) }

func (s *threadSafe) DeleteWithObject(key string, obj any) {
	s.write(1, versionOf(obj), func(txn *store.Txn[any]) { txn.Remove(delta.ParseKey(key)) })
}

func (s *threadSafe) Replace(items map[string]any, version string) {
	s.write(len(items), version, func(txn *store.Txn[any]) {
		for key, obj := range items {
			txn.Put(delta.ParseKey(key), obj)
		}
		for key := range txn.Untouched() {
			txn.Remove(key)
		}
	})
}

// Transaction makes all writes visible at once. The store's resource version
// becomes that of the last object.
func (s *threadSafe) Transaction(writes ...cache.ThreadSafeStoreTransaction) {
	if len(writes) == 0 {
		return
	}
	version := versionOf(writes[len(writes)-1].Object)
	s.write(len(writes), version, func(txn *store.Txn[any]) {
		for _, w := range writes {
			switch key := delta.ParseKey(w.Key); w.Type {
			case cache.TransactionTypeAdd, cache.TransactionTypeUpdate:
				txn.Put(key, w.Object)
			case cache.TransactionTypeDelete:
				txn.Remove(key)
			}
		}
	})
}

func (s *threadSafe) Bookmark(version string) {
	s.write(0, version, func(*store.Txn[any]) {})
}

// LastStoreSyncResourceVersion is empty unless client-go's gate AtomicFIFO is on,
// as client-go has it.
func (s *threadSafe) LastStoreSyncResourceVersion() string {
	if !features.FeatureGates().Enabled(features.AtomicFIFO) {
		return ""
	}
	return s.store.Version()
}

func (s *threadSafe) Get(key string) (any, bool) { return s.store.Get(delta.ParseKey(key)) }

func (s *threadSafe) List() []any { return s.store.List() }

func (s *threadSafe) ListKeys() []string {
	v := s.store.View()
	defer v.Release()
	keys := make([]string, 0, v.Len())
	for key := range v.All() {
		keys = append(keys, key.String())
	}
	return keys
}

func (s *threadSafe) ByIndex(name, value string) ([]any, error) {
	objs, err := s.store.ByIndex(name, value)
	if err == nil && objs == nil {
		objs = []any{}
	}
	return objs, err
}

func (s *threadSafe) IndexKeys(name, value string) ([]string, error) {
	found, err := s.store.IndexKeys(name, value)
	if err != nil {
		return nil, err
	}
	keys := make([]string, 0, len(found))
	for _, key := range found {
		keys = append(keys, key.String())
	}
	slices.Sort(keys)
	return keys, nil
}

// Index returns the objects that share a value of the named index with obj.
func (s *threadSafe) Index(name string, obj any) ([]any, error) {
	s.mu.Lock()
	function := s.indexers[name]
	s.mu.Unlock()
	if function == nil {
		return s.ByIndex(name, "") // says what is wrong
	}
	values, err := function(obj)
	if err != nil {
		return nil, err
	}
	if len(values) == 1 {
		return s.ByIndex(name, values[0])
	}
	return s.union(name, values)
}

// union returns the objects filed under any of the values, each once.
func (s *threadSafe) union(name string, values []string) ([]any, error) {
	v := s.store.View()
	defer v.Release()
	found := map[delta.Key]struct{}{}
	objs := []any{}
	for _, value := range values {
		keys, err := v.IndexKeys(name, value)
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			if _, dup := found[key]; dup {
				continue
			}
			found[key] = struct{}{}
			obj, _ := v.Get(key)
			objs = append(objs, obj)
		}
	}
	return objs, nil
}

// ListIndexFuncValues returns nothing where there is no such index.
func (s *threadSafe) ListIndexFuncValues(name string) []string {
	values, err := s.store.IndexValues(name)
	if err != nil || values == nil {
		return []string{}
	}
	return values
}

// GetIndexers returns a copy.
func (s *threadSafe) GetIndexers() cache.Indexers {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.indexers)
}

// AddIndexers adds all of the indexers or, with an error, none.
func (s *threadSafe) AddIndexers(indexers cache.Indexers) error {
	if err := s.index(Typed(indexers)); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.Copy(s.indexers, indexers)
	return nil
}

// Resync does nothing, as in client-go.
func (s *threadSafe) Resync() error { return nil }

package toolscache

import (
	"fmt"

	"k8s.io/client-go/tools/cache"
)

// StoreOption changes what [NewStore] and [NewIndexer] make.
type StoreOption func(*indexer)

// WithTransformer has objects transformed before Add, Update and Replace store
// them. Transaction stores them as they are, as in client-go: what comes in batches
// was transformed before.
func WithTransformer(transform cache.TransformFunc) StoreOption {
	return func(i *indexer) { i.transform = transform }
}

// indexer is a threadSafe store that finds the key in the object.
type indexer struct {
	*threadSafe // the methods that take no object
	keyOf       cache.KeyFunc
	transform   cache.TransformFunc // nil stores objects as they are
}

var (
	_ cache.Indexer          = (*indexer)(nil)
	_ cache.TransactionStore = (*indexer)(nil)
)

// NewStore returns an empty store. It is also a [cache.TransactionStore].
func NewStore(keyOf cache.KeyFunc, opts ...StoreOption) cache.Store {
	return newIndexer(keyOf, nil, opts)
}

// NewIndexer returns an empty store with indexes. It is also a
// [cache.TransactionStore]. An error of an index function is treated as
// [NewThreadSafeStore] says.
func NewIndexer(keyOf cache.KeyFunc, indexers cache.Indexers, opts ...StoreOption) cache.Indexer {
	return newIndexer(keyOf, indexers, opts)
}

func newIndexer(keyOf cache.KeyFunc, indexers cache.Indexers, opts []StoreOption) *indexer {
	i := &indexer{threadSafe: newThreadSafe(indexers), keyOf: keyOf}
	for _, opt := range opts {
		opt(i)
	}
	return i
}

// prepare returns the key of an object and what is to be stored.
func (i *indexer) prepare(obj any) (string, any, error) {
	key, err := i.keyOf(obj)
	if err != nil {
		return "", nil, cache.KeyError{Obj: obj, Err: err}
	}
	if i.transform != nil {
		if obj, err = i.transform(obj); err != nil {
			return "", nil, fmt.Errorf("transform %s: %w", key, err)
		}
	}
	return key, obj, nil
}

func (i *indexer) Add(obj any) error { return i.Update(obj) }

func (i *indexer) Update(obj any) error {
	key, obj, err := i.prepare(obj)
	if err != nil {
		return err
	}
	i.threadSafe.Update(key, obj)
	return nil
}

func (i *indexer) Delete(obj any) error {
	key, err := i.keyOf(obj)
	if err != nil {
		return cache.KeyError{Obj: obj, Err: err}
	}
	i.DeleteWithObject(key, obj)
	return nil
}

func (i *indexer) Get(obj any) (any, bool, error) {
	key, err := i.keyOf(obj)
	if err != nil {
		return nil, false, cache.KeyError{Obj: obj, Err: err}
	}
	return i.GetByKey(key)
}

func (i *indexer) GetByKey(key string) (any, bool, error) {
	obj, ok := i.threadSafe.Get(key)
	return obj, ok, nil
}

func (i *indexer) Replace(objs []any, version string) error {
	items := make(map[string]any, len(objs))
	for _, obj := range objs {
		key, obj, err := i.prepare(obj)
		if err != nil {
			return err
		}
		items[key] = obj
	}
	i.threadSafe.Replace(items, version)
	return nil
}

// Transaction makes all writes visible at once, except those whose object has no key: they
// are left out and named in the error.
func (i *indexer) Transaction(writes ...cache.Transaction) *cache.TransactionError {
	keyed := make([]cache.ThreadSafeStoreTransaction, 0, len(writes))
	done := make([]int, 0, len(writes))
	var errs []error
	for n, w := range writes {
		key, err := i.keyOf(w.Object)
		if err != nil {
			errs = append(errs, cache.KeyError{Obj: w.Object, Err: err})
			continue
		}
		done = append(done, n)
		keyed = append(keyed, cache.ThreadSafeStoreTransaction{Transaction: w, Key: key})
	}
	i.threadSafe.Transaction(keyed...)
	if errs == nil {
		return nil
	}
	return &cache.TransactionError{SuccessfulIndices: done, TotalTransactions: len(writes), Errors: errs}
}

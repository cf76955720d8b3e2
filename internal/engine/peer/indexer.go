package peer

import (
	"context"
	"errors"
	"fmt"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/engine/store"
)

// indexer is a threadSafe that finds the key in the object.
type indexer struct {
	*threadSafe // the methods that take no object
	keyOf       cache.KeyFunc
	transform   cache.TransformFunc // nil stores objects as they are
}

var (
	_ cache.Indexer          = (*indexer)(nil)
	_ cache.TransactionStore = (*indexer)(nil)
)

// NewIndexer returns an empty store that has these indexers. A nil transform stores objects as they are.
func NewIndexer(keyOf cache.KeyFunc, indexers cache.Indexers, transform cache.TransformFunc) cache.Indexer {
	return &indexer{threadSafe: newThreadSafe(indexers), keyOf: keyOf, transform: transform}
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

// NewSharedIndexer shows the store of an informer, which has these indexers. Its
// writes take turns with the informer's own, and nobody is told of them.
func NewSharedIndexer(core *engine.Informer[any], indexers cache.Indexers) cache.Indexer {
	s := showStore(core.Store(), indexers)
	s.write = func(_ int, _ string, change func(*store.Txn[any])) { // the store's version tells how far the informer is
		if err := core.Write(change); err != nil {
			utilruntime.HandleError(err) // an index function's; the object is stored
		}
	}
	s.index = func(indexers store.Indexers[any]) error { return core.AddIndexers(GuardIndexers(indexers)) }
	return &indexer{threadSafe: s, keyOf: cache.DeletionHandlingMetaNamespaceKeyFunc}
}

var errIndexPanicked = errors.New("the index function panicked")

// GuardIndexers turns a panic of an index function into an error if ReallyCrash says
// that panics do not end the process.
func GuardIndexers(indexers store.Indexers[any]) store.Indexers[any] {
	guarded := make(store.Indexers[any], len(indexers))
	for name, values := range indexers {
		guarded[name] = func(obj any) (found []string, err error) {
			if utilruntime.ReallyCrash {
				return values(obj)
			}
			err = errIndexPanicked
			Guard(context.Background(), func() { found, err = values(obj) })
			return found, err
		}
	}
	return guarded
}

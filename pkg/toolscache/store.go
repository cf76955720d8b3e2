package toolscache

import (
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/engine/peer"
)

// StoreOption changes what [NewStore] and [NewIndexer] make.
type StoreOption func(*storeOptions)

type storeOptions struct{ transform cache.TransformFunc }

// WithTransformer has objects transformed before Add, Update and Replace store
// them. Transaction stores them as they are, as in client-go: what comes in batches
// was transformed before.
func WithTransformer(transform cache.TransformFunc) StoreOption {
	return func(o *storeOptions) { o.transform = transform }
}

// NewStore returns an empty store. It is also a [cache.TransactionStore].
func NewStore(keyOf cache.KeyFunc, opts ...StoreOption) cache.Store {
	return NewIndexer(keyOf, nil, opts...)
}

// NewIndexer returns an empty store with indexes. It is also a
// [cache.TransactionStore]. An error of an index function is treated as
// [NewThreadSafeStore] says.
func NewIndexer(keyOf cache.KeyFunc, indexers cache.Indexers, opts ...StoreOption) cache.Indexer {
	var o storeOptions
	for _, opt := range opts {
		opt(&o)
	}
	return peer.NewIndexer(keyOf, indexers, o.transform)
}

// NewThreadSafeStore returns an empty store whose keys the caller names. The
// result is also a [cache.ThreadSafeStoreWithTransaction]. The indices are
// accepted because client-go's constructor has them, and are not looked at: their
// content cannot be named outside client-go.
//
// As in client-go, writing an object on which an index function returns an error
// panics; the object is then in the store, without a value in that index.
func NewThreadSafeStore(indexers cache.Indexers, _ cache.Indices) cache.ThreadSafeStore {
	return peer.NewThreadSafe(indexers)
}

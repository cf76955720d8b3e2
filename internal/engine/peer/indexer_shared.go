package peer

import (
	"context"
	"errors"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/engine/store"
)

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

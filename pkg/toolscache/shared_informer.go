package toolscache

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/engine/peer"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// NewSharedInformer is client-go's constructor over our parts. The result is also a
// cache.SharedIndexInformer.
func NewSharedInformer(lw cache.ListerWatcher, example runtime.Object, resync time.Duration) cache.SharedInformer {
	return NewSharedIndexInformer(lw, example, resync, cache.Indexers{})
}

// NewSharedIndexInformer is client-go's constructor over our parts. It can be given
// to controller-runtime's cache.Options.NewInformer as it is.
func NewSharedIndexInformer(lw cache.ListerWatcher, example runtime.Object, resync time.Duration, indexers cache.Indexers) cache.SharedIndexInformer {
	return NewSharedIndexInformerWithOptions(lw, example, cache.SharedIndexInformerOptions{
		ResyncPeriod: resync,
		Indexers:     indexers,
	})
}

// NewSharedIndexInformerWithOptions is client-go's constructor over our parts. The
// metrics options have no effect: our informers have status of their own.
func NewSharedIndexInformerWithOptions(lw cache.ListerWatcher, example runtime.Object, opts cache.SharedIndexInformerOptions) cache.SharedIndexInformer {
	hooks := new(peer.Hooks)
	kind := kindName(example, opts.ObjectDescription)
	core := newCore(kind, &cache.InformerOptions{
		ListerWatcher: lw, ObjectType: example, Indexers: opts.Indexers,
		Transform: func(obj any) (any, error) {
			if transform := hooks.Transform.Or(nil); transform != nil {
				return transform(obj)
			}
			return obj, nil
		},
	}, peer.ByPeriod(opts.ResyncPeriod), hooks)
	return peer.Show(core, peer.Shown{Kind: kind, ResyncPeriod: opts.ResyncPeriod, Indexers: opts.Indexers, Hooks: hooks})
}

// SharedInformer is client-go's, with what only ours can do. All shared informers of this
// package are one: assert it to ask for more than client-go's interface has.
type SharedInformer interface {
	cache.SharedIndexInformer

	// Status tells how the informer is doing.
	Status() informer.Status
	// SetResync changes when the handlers are resynced that asked for no period of their
	// own. It takes the place of the period that the informer was made with.
	SetResync(policy resync.Policy) error
}

var _ SharedInformer = &peer.SharedInformer{}

func kindName(example runtime.Object, description string) string {
	if description != "" {
		return description
	}
	return fmt.Sprintf("%T", example)
}

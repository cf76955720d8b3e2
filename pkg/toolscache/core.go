package toolscache

import (
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/api/objects"
	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/engine/peer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// newCore returns the informer behind a constructor. Of client-go's options it knows what to list and watch, the indexers
// and the transform. It asks the hooks who is told of errors.
func newCore(kind string, of *cache.InformerOptions, policy resync.Policy, hooks *peer.Hooks) *engine.Informer[any] {
	log := klog.Background()
	options := cache.ReflectorOptions{TypeDescription: kind, Logger: &log}
	opts := engine.Options[any]{
		Name:          kind,
		Traits:        objects.Traits,
		Indexers:      peer.GuardIndexers(peer.Typed(of.Indexers)),
		Transform:     of.Transform,
		ShowUnchanged: true, // client-go's handlers hear of relists
		OnMutation:    peer.OnMutation(kind),
		Reflector:     peer.Options(of.ListerWatcher, options),
		Log:           log,
	}
	opts.Reflector.OnError = peer.OnWatchError(peer.Reflector(of.ListerWatcher, of.ObjectType, options), func() cache.WatchErrorHandlerWithContext { return hooks.OnError.Or(nil) })
	core, err := engine.NewScoped([]engine.Scope[any]{{ListWatcher: listwatch.Lent(clientOf(of.ListerWatcher), of.ObjectType), Resync: policy}}, opts)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return core
}

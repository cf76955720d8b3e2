package toolscache

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/api/objects"
	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/engine/peer"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// NewInformer is client-go's constructor of a store that is kept in step, with one
// handler. The store is also a cache.Indexer. The controller is for the caller to run.
func NewInformer(lw cache.ListerWatcher, example runtime.Object, resync time.Duration, handler cache.ResourceEventHandler) (cache.Store, cache.Controller) {
	return NewTransformingInformer(lw, example, resync, handler, nil)
}

// NewTransformingInformer is [NewInformer] with a function that each object passes
// through before it is kept.
func NewTransformingInformer(lw cache.ListerWatcher, example runtime.Object, period time.Duration, handler cache.ResourceEventHandler, transform cache.TransformFunc) (cache.Store, cache.Controller) {
	kind, hooks := kindName(example, ""), new(peer.Hooks)
	core := newCore(kind, &cache.InformerOptions{ListerWatcher: lw, ObjectType: example, Transform: transform}, resync.Policy{}, hooks)
	sub, err := core.Subscribe(peer.Tell(handler, klog.Background()), informer.SubscribeOptions{
		Name:   peer.HandlerName(handler),
		Resync: resync.Policy{Period: period},
	})
	if err != nil {
		panic("BUG: an informer that has not run yet refuses a subscriber: " + err.Error())
	}
	shown := peer.Show(core, peer.Shown{Kind: kind, Hooks: hooks})
	return shown.GetStore(), &informerController{SharedInformer: shown, handled: sub, kind: kind}
}

// informerController runs an informer that has one handler. It has synced when the
// handler has been told.
type informerController struct {
	*peer.SharedInformer
	handled *engine.Subscription[any]
	kind    string
}

// HasSynced reports whether the handler has been told the first list.
func (c *informerController) HasSynced() bool { return cache.IsDone(c.HasSyncedChecker()) }

// HasSyncedChecker lets cache.WaitFor wait for HasSynced without polling.
func (c *informerController) HasSyncedChecker() cache.DoneChecker {
	return peer.NewSyncCheck("Informer "+c.kind, c.handled.Synced())
}

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

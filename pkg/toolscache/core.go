package toolscache

import (
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/api/objects"
	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/engine/peer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// coreConfig is what client-go's constructors of informers know of one.
type coreConfig struct {
	kind            string
	example         runtime.Object
	lw              cache.ListerWatcher
	resync          resync.Policy
	indexers        cache.Indexers
	transform       cache.TransformFunc
	onError         func() cache.WatchErrorHandlerWithContext // asked for each error; may return nil
	minWatchTimeout time.Duration
	log             logr.Logger
}

// newCore returns the informer behind a constructor.
func newCore(c *coreConfig) *engine.Informer[any] {
	options := cache.ReflectorOptions{TypeDescription: c.kind, MinWatchTimeout: c.minWatchTimeout, Logger: &c.log}
	opts := engine.Options[any]{
		Name:       c.kind,
		Traits:     objects.Traits,
		Indexers:   peer.GuardIndexers(peer.Typed(c.indexers)),
		Transform:  c.transform,
		Unchanged:  engine.SyncUnchanged, // client-go's handlers hear of relists
		OnMutation: peer.OnMutation(c.kind),
		Reflector:  peer.Options(c.lw, options),
		Log:        c.log,
	}
	opts.Reflector.OnError = peer.OnWatchError(peer.Reflector(c.lw, c.example, options), c.onError)
	core, err := engine.NewScoped([]engine.Scope[any]{{ListWatcher: lendingListWatcher(c.lw, c.example), Resync: c.resync}}, opts)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return core
}

// noHandler leaves watch errors to client-go's default handler.
func noHandler() cache.WatchErrorHandlerWithContext { return nil }

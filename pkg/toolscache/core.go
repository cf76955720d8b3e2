package toolscache

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/watchlist"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/peer"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// coreConfig is what all our informers are made of.
type coreConfig struct {
	SharedInformerConfig
	onError         func() cache.WatchErrorHandlerWithContext // asked for each error; may return nil
	minWatchTimeout time.Duration
}

// newCore returns the informer behind a constructor.
func newCore(c coreConfig) (*engine.Informer[any], error) {
	opts := engine.Options[any]{
		Name:       c.Kind,
		Traits:     objectTraits,
		Indexers:   guardIndexers(typed(c.Indexers)),
		Transform:  c.Transform,
		Observe:    c.Observe,
		Unchanged:  c.Unchanged,
		OnMutation: c.OnMutation,
		Mutations:  c.Mutations,
		Ready:      c.Ready,
		Reflector:  peer.Options(c.anyListerWatcher(), c.reflectorOptions()),
		Log:        c.Log,
	}
	opts.Reflector.Settings = c.Reflector // each scope has its ListerWatcher's
	opts.Reflector.Limiter = c.Limiter
	opts.Reflector.OnError = peer.OnWatchError(peer.Reflector(c.anyListerWatcher(), c.Example, c.reflectorOptions()), c.onError)
	if detectMutations && opts.OnMutation == nil {
		opts.OnMutation = func(m informer.Mutation) {
			panic(fmt.Sprintf("%s %s was modified in the cache, where it is at version %s: %v", c.Kind, m.Key, m.Version, m.Paths))
		}
	}
	scopes := make([]engine.Scope[any], len(c.Scopes))
	for i, s := range c.Scopes {
		scopes[i] = c.scope(s)
	}
	return engine.NewScoped(scopes, opts)
}

// reflectorOptions are what client-go calls what we know of a reflector.
func (c *coreConfig) reflectorOptions() ReflectorOptions {
	return ReflectorOptions{TypeDescription: c.Kind, MinWatchTimeout: c.minWatchTimeout, Logger: &c.Log}
}

// anyListerWatcher is for those who want to know the name of one.
func (c *coreConfig) anyListerWatcher() cache.ListerWatcher {
	for _, s := range c.Scopes {
		if s.ListerWatcher != nil {
			return s.ListerWatcher
		}
	}
	return &cache.ListWatch{}
}

// scope shows a scope to the core.
func (c *coreConfig) scope(s SharedScope) engine.Scope[any] {
	scope := engine.Scope[any]{
		Namespace:   s.Namespace,
		Except:      s.Except,
		ListWatcher: s.ListWatcher,
		Resync:      s.resync().Or(c.resync()),
	}
	if s.ListWatcher == nil && s.ListerWatcher != nil {
		scope.ListWatcher = lendingListWatcher(s.ListerWatcher, c.Example)
		scope.Settings = c.Reflector.Or(peer.Settings(s.ListerWatcher, c.reflectorOptions()))
		if watchlist.DoesClientNotSupportWatchListSemantics(s.ListerWatcher) {
			scope.Settings.Lists = informer.PagesOnly // whatever is configured: it would wait for nothing
		}
	}
	return scope
}

// detectMutations is whether client-go's switch for its mutation detector is on.
var detectMutations, _ = strconv.ParseBool(os.Getenv("KUBE_CACHE_MUTATION_DETECTOR"))

// noHandler leaves watch errors to client-go's default handler.
func noHandler() cache.WatchErrorHandlerWithContext { return nil }

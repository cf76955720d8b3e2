package toolscache

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// coreConfig is what the constructors of client-go have in common.
type coreConfig struct {
	lw              cache.ListerWatcher
	example         any
	kind            string
	indexers        cache.Indexers
	transform       cache.TransformFunc
	onError         func() cache.WatchErrorHandlerWithContext // asked for each error; may return nil
	minWatchTimeout time.Duration
	logger          klog.Logger
}

// newCore returns the informer behind a client-go constructor.
func newCore(c coreConfig) *informer.Informer[any] {
	options := ReflectorOptions{TypeDescription: c.kind, MinWatchTimeout: c.minWatchTimeout, Logger: &c.logger}
	opts := informer.Options[any]{
		Name:      c.kind,
		Traits:    objectTraits,
		Indexers:  typed(c.indexers),
		Transform: c.transform,
		Unchanged: informer.SyncUnchanged, // client-go's handlers hear of relists
		Reflector: coreReflectorOptions(c.lw, options),
		Log:       c.logger,
	}
	opts.Reflector.OnError = onWatchError(peerReflector(c.lw, c.example, options), c.onError)
	if detectMutations {
		opts.OnMutation = func(m informer.Mutation) {
			panic(fmt.Sprintf("%s %s was modified in the cache, where it is at version %s: %v", c.kind, m.Key, m.Version, m.Paths))
		}
	}
	return informer.New(NewListWatcher(c.lw, c.example), opts)
}

// detectMutations is whether client-go's switch for its mutation detector is on.
var detectMutations, _ = strconv.ParseBool(os.Getenv("KUBE_CACHE_MUTATION_DETECTOR"))

// noHandler leaves watch errors to client-go's default handler.
func noHandler() cache.WatchErrorHandlerWithContext { return nil }

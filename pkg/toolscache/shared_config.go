package toolscache

import (
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/reflector"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// SharedInformerConfig is what a [SharedInformer] is made of. Kind and Scopes are
// required.
type SharedInformerConfig struct {
	// Kind is what is kept, for logs and status.
	Kind string
	// Example is an object of the kind; see [ListWatcherOptions].
	Example runtime.Object
	// Scopes are what is listed and watched. There is at least one, and no two share
	// a namespace.
	Scopes []SharedScope
	// ResyncPeriod is for the scopes that have none, and for the handlers that ask for
	// none. Zero is never.
	ResyncPeriod time.Duration
	// Resync is a whole policy for them, of which client-go's period is the simplest:
	// all at once. Where it has a Period that overrides ResyncPeriod, and handlers
	// that ask for a period of their own get it, whatever client-go's rules for the
	// informer's period would make of it.
	Resync   resync.Policy
	Indexers cache.Indexers
	// Transform is what SetTransform sets.
	Transform cache.TransformFunc
	// WatchErrorHandler is what SetWatchErrorHandlerWithContext sets.
	WatchErrorHandler cache.WatchErrorHandlerWithContext
	// Reflector says how to list and watch. What it leaves open is as in client-go.
	Reflector informer.Settings
	// Limiter is shared with other informers; nil bounds nothing.
	Limiter *reflector.Limiter
	// Ready says when a handler's registration has synced. HasSynced of the informer
	// waits for every scope in any case.
	Ready engine.Readiness
	// These are as in [informer.Options]. A nil OnMutation leaves the choice to
	// client-go's environment variable KUBE_CACHE_MUTATION_DETECTOR.
	Unchanged  engine.Unchanged
	Observe    func(any) *delta.Origin
	OnMutation func(informer.Mutation)
	Mutations  informer.MutationOptions
	// Log is where warnings go. The zero Logger is klog's.
	Log logr.Logger
}

// SharedScope is a scope of a [SharedInformer]; see [informer.Scope].
type SharedScope struct {
	Namespace string
	Except    []string
	// One of these shows the scope. If both are set, ListWatcher does.
	ListerWatcher cache.ListerWatcher
	ListWatcher   listwatch.ListWatcher[any]
	// ResyncPeriod is for the handlers that ask for none. Zero is that of the informer,
	// [informer.NeverResync] is never.
	ResyncPeriod time.Duration
	// Resync overrides ResyncPeriod where it has a Period, and ResyncPeriod overrides
	// what the informer says.
	Resync resync.Policy
}

// NewSharedInformerFor returns a shared informer that runs when its owner runs it.
func NewSharedInformerFor(config SharedInformerConfig) (*SharedInformer, error) {
	if config.Kind == "" {
		config.Kind = kindName(config.Example, "")
	}
	if config.Log.GetSink() == nil {
		config.Log = klog.Background()
	}
	return newSharedInformer(coreConfig{SharedInformerConfig: config})
}

func newSharedInformer(config coreConfig) (*SharedInformer, error) {
	if err := config.checkResync(); err != nil {
		return nil, fmt.Errorf("shared informer for %s: %w", config.Kind, err)
	}
	s := &SharedInformer{
		kind:    config.Kind,
		resync:  newResyncPeriods(config.SharedInformerConfig),
		handles: map[*registration]struct{}{},
	}
	if config.Transform != nil {
		s.transform.Store(&config.Transform)
	}
	if config.WatchErrorHandler != nil {
		s.onError.Store(&config.WatchErrorHandler)
	}
	core := config
	core.Transform, core.onError = s.transformed, s.watchErrorHandler
	var err error
	if s.core, err = newCore(core); err != nil {
		return nil, err
	}
	s.config = core
	s.indexer = newSharedIndexer(s.core, config.Indexers)
	return s, nil
}

// Core is the informer that s shows.
func (s *SharedInformer) Core() *engine.Informer[any] { return s.core }

// AddScope adds a scope; see [informer.Informer.AddScope]. To remove it, use the
// core: client-go's handlers are not told of removals.
func (s *SharedInformer) AddScope(scope SharedScope) error {
	if err := scope.Resync.Check(); err != nil {
		return fmt.Errorf("shared informer for %s: add scope of namespace %q: Resync: %w", s.kind, scope.Namespace, err)
	}
	if err := s.core.AddScope(s.config.scope(scope)); err != nil {
		return fmt.Errorf("shared informer: %w", err)
	}
	return nil
}

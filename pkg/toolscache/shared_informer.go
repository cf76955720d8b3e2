package toolscache

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/lock"
	"github.com/delta-runtime/delta-runtime/internal/peer"
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
	config := coreConfig{
		kind: kindName(example, opts.ObjectDescription), example: example, lw: lw,
		resync:   byPeriod(opts.ResyncPeriod),
		indexers: opts.Indexers, log: klog.Background(),
		onError: func() cache.WatchErrorHandlerWithContext { return hooks.OnError(nil) },
		transform: func(obj any) (any, error) {
			if transform := hooks.Transform(nil); transform != nil {
				return transform(obj)
			}
			return obj, nil
		},
	}
	return showInformer(newCore(&config), peer.Shown{Kind: config.kind, ResyncPeriod: opts.ResyncPeriod, Indexers: opts.Indexers, Hooks: hooks})
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

func init() {
	peer.Show = func(core *engine.Informer[any], opts peer.Shown) cache.SharedIndexInformer {
		return showInformer(core, opts)
	}
}

// sharedInformer shows an [engine.Informer] as client-go's shared informer.
type sharedInformer struct {
	core    *engine.Informer[any]
	indexer cache.Indexer
	kind    string
	hooks   *peer.Hooks // set before the informer runs

	mu      lock.Mutex[lock.SharedInformer] // guards everything below; never held while calling out or waiting
	started bool
	resync  resyncPeriods
	handles map[*registration]struct{}
}

var _ SharedInformer = &sharedInformer{}

func showInformer(core *engine.Informer[any], opts peer.Shown) *sharedInformer {
	return &sharedInformer{
		core: core, kind: opts.Kind, hooks: opts.Hooks,
		indexer: newSharedIndexer(core, opts.Indexers),
		resync:  newResyncPeriods(opts),
		handles: map[*registration]struct{}{},
	}
}

// Core is the informer that s shows.
func (s *sharedInformer) Core() *engine.Informer[any] { return s.core }

func kindName(example runtime.Object, description string) string {
	if description != "" {
		return description
	}
	return fmt.Sprintf("%T", example)
}

// Run is [sharedInformer.RunWithContext] until stop is closed.
func (s *sharedInformer) Run(stop <-chan struct{}) { s.RunWithContext(wait.ContextForChannel(stop)) }

// RunWithContext lists, watches and calls the handlers until ctx ends. When it
// returns, nothing of the informer runs any more. A panic of a handler is raised
// again here.
func (s *sharedInformer) RunWithContext(ctx context.Context) {
	defer utilruntime.HandleCrashWithContext(ctx)
	defer unwrapCrash(klog.FromContext(ctx))
	s.mu.Lock()
	s.started = true
	s.mu.Unlock()
	if err := s.core.Run(ctx); errors.Is(err, engine.ErrStarted) || errors.Is(err, engine.ErrStopped) {
		klog.FromContext(ctx).Info("An informer runs once; this call does nothing", "kind", s.kind)
	}
}

// AddEventHandler is [sharedInformer.AddEventHandlerWithOptions] with the
// informer's resync period.
func (s *sharedInformer) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return s.AddEventHandlerWithOptions(handler, cache.HandlerOptions{})
}

// AddEventHandlerWithResyncPeriod is [sharedInformer.AddEventHandlerWithOptions]
// with a resync period; zero is never.
func (s *sharedInformer) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, period time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return s.AddEventHandlerWithOptions(handler, cache.HandlerOptions{ResyncPeriod: &period})
}

// AddEventHandlerWithOptions has handler called for every object that is there,
// and then for every change.
func (s *sharedInformer) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, opts cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	logger := klog.Background()
	if opts.Logger != nil {
		logger = *opts.Logger
	}
	s.mu.Lock()
	policy, w := s.resync.policy(opts.ResyncPeriod, s.started)
	s.mu.Unlock()
	w.tell(logger)
	told := &told{handler: handler, logger: logger}
	sub, err := s.core.Subscribe(told.tell, informer.SubscribeOptions{
		Name:   handlerName(handler),
		Resync: policy,
	})
	if err != nil {
		return nil, fmt.Errorf("handler %s was not added to shared informer because it has stopped already", handlerName(handler))
	}
	handle := &registration{kind: s.kind, sub: sub}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handles[handle] = struct{}{}
	return handle, nil
}

// RemoveEventHandler ends a registration: no further call begins. One that is
// under way goes on; cache.ShutDownEventHandler waits for it. A registration that was
// removed before, or belongs to another informer, is left alone.
func (s *sharedInformer) RemoveEventHandler(handle cache.ResourceEventHandlerRegistration) error {
	r, ok := handle.(*registration)
	if !ok {
		return fmt.Errorf("remove event handler from informer for %s: %T is not a handle of this kind of informer", s.kind, handle)
	}
	s.mu.Lock()
	_, ours := s.handles[r]
	delete(s.handles, r)
	s.mu.Unlock()
	if ours {
		s.core.Unsubscribe(r.sub)
	}
	return nil
}

// EventHandlerCount is the number of registrations.
func (s *sharedInformer) EventHandlerCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.handles)
}

// IsRegistered reports whether handle is a registration of this informer that has
// not been removed.
func (s *sharedInformer) IsRegistered(handle cache.ResourceEventHandlerRegistration) bool {
	r, ok := handle.(*registration)
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ours := s.handles[r]
	return ok && ours
}

// GetStore is the informer's store.
func (s *sharedInformer) GetStore() cache.Store { return s.indexer }

// GetIndexer is the informer's store. The handlers are not told what is written to it.
func (s *sharedInformer) GetIndexer() cache.Indexer { return s.indexer }

// AddIndexers adds indexes, also while the informer runs.
func (s *sharedInformer) AddIndexers(indexers cache.Indexers) error {
	if s.core.Stopped() {
		return fmt.Errorf("indexer was not added because it has stopped already: %s: %w", s.kind, engine.ErrStopped)
	}
	return s.indexer.AddIndexers(indexers)
}

// GetController returns what little a shared informer has of a controller.
func (s *sharedInformer) GetController() cache.Controller { return sharedController{s} }

// HasSynced reports whether the first list is in the store. For what a handler has
// been told, ask its registration.
func (s *sharedInformer) HasSynced() bool { return s.core.HasSynced() }

// HasSyncedChecker lets cache.WaitFor wait for HasSynced without polling.
func (s *sharedInformer) HasSyncedChecker() cache.DoneChecker {
	return syncCheck{name: "SharedIndexInformer " + s.kind, done: s.core.Synced()}
}

// LastSyncResourceVersion is the newest version that the informer has heard of.
func (s *sharedInformer) LastSyncResourceVersion() string { return s.core.Version() }

// SetWatchErrorHandler sets who is told of failed lists and watches.
func (s *sharedInformer) SetWatchErrorHandler(handler cache.WatchErrorHandler) error {
	return s.SetWatchErrorHandlerWithContext(func(_ context.Context, r *cache.Reflector, err error) { handler(r, err) })
}

// SetWatchErrorHandlerWithContext sets who is told of failed lists and watches.
func (s *sharedInformer) SetWatchErrorHandlerWithContext(handler cache.WatchErrorHandlerWithContext) error {
	return s.configure("set the watch error handler", func() { s.hooks.SetOnError(handler) })
}

// SetTransform sets a function that each object passes through before it is kept.
func (s *sharedInformer) SetTransform(transform cache.TransformFunc) error {
	return s.configure("set the transform", func() { s.hooks.SetTransform(transform) })
}

func (s *sharedInformer) configure(what string, set func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started {
		return fmt.Errorf("%s of informer for %s: %w", what, s.kind, engine.ErrStarted)
	}
	set()
	return nil
}

// IsStopped reports whether the informer has run and ended.
func (s *sharedInformer) IsStopped() bool { return s.core.Stopped() }

// Status tells how the informer is doing.
func (s *sharedInformer) Status() informer.Status { return s.core.Status() }

// syncCheck is a cache.DoneChecker.
type syncCheck struct {
	name string
	done <-chan struct{}
}

// Name says what is waited for.
func (c syncCheck) Name() string { return c.name }

// Done is closed when it has happened.
func (c syncCheck) Done() <-chan struct{} { return c.done }

// sharedController is the read-only side of a controller: a shared informer is run
// by its owner, not through this.
type sharedController struct{ *sharedInformer }

// Run does nothing.
func (sharedController) Run(<-chan struct{}) {}

// RunWithContext does nothing.
func (sharedController) RunWithContext(context.Context) {}

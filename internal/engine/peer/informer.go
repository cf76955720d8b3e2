package peer

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// Shown says how [Show] shows an informer.
type Shown struct {
	Kind string
	// ResyncPeriod is for the handlers that ask for none. Zero is never.
	ResyncPeriod time.Duration
	// Policies are those of the informer's scopes.
	Policies []resync.Policy
	// ByPolicy reports whether a policy says when the informer is resynced. Then handlers
	// that ask for a period of their own get it, whatever client-go's rules for the
	// informer's period would make of it. Nil is never.
	ByPolicy func() bool
	// Indexers are those that the informer was made with.
	Indexers cache.Indexers
	// Hooks have what callers set. The informer asks them. They are required.
	Hooks *Hooks
}

// SharedInformer shows an [engine.Informer] as client-go's shared informer.
type SharedInformer struct {
	core    *engine.Informer[any]
	indexer cache.Indexer
	kind    string
	hooks   *Hooks // set before the informer runs

	mu      lock.Mutex[lock.SharedInformer] // guards everything below; never held while calling out or waiting
	started bool
	resync  resyncPeriods
}

var _ cache.SharedIndexInformer = &SharedInformer{}

// Show shows an informer as client-go's.
func Show(core *engine.Informer[any], how Shown) *SharedInformer {
	return &SharedInformer{
		core: core, kind: how.Kind, hooks: how.Hooks,
		indexer: NewSharedIndexer(core, how.Indexers),
		resync:  newResyncPeriods(how),
	}
}

// Core is the informer that s shows.
func (s *SharedInformer) Core() *engine.Informer[any] { return s.core }

// Run is [SharedInformer.RunWithContext] until stop is closed.
func (s *SharedInformer) Run(stop <-chan struct{}) { s.RunWithContext(wait.ContextForChannel(stop)) }

// RunWithContext lists, watches and calls the handlers until ctx ends. When it
// returns, nothing of the informer runs any more. A panic of a handler is raised
// again here.
func (s *SharedInformer) RunWithContext(ctx context.Context) {
	defer utilruntime.HandleCrashWithContext(ctx)
	defer UnwrapCrash(klog.FromContext(ctx))
	s.mu.Lock()
	s.started = true
	s.mu.Unlock()
	if err := s.core.Run(ctx); errors.Is(err, engine.ErrStarted) || errors.Is(err, engine.ErrStopped) {
		klog.FromContext(ctx).Info("An informer runs once; this call does nothing", "kind", s.kind)
	}
}

// AddEventHandler is [SharedInformer.AddEventHandlerWithOptions] with the
// informer's resync period.
func (s *SharedInformer) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return s.AddEventHandlerWithOptions(handler, cache.HandlerOptions{})
}

// AddEventHandlerWithResyncPeriod is [SharedInformer.AddEventHandlerWithOptions]
// with a resync period; zero is never.
func (s *SharedInformer) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, period time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return s.AddEventHandlerWithOptions(handler, cache.HandlerOptions{ResyncPeriod: &period})
}

// AddEventHandlerWithOptions has handler called for every object that is there,
// and then for every change.
func (s *SharedInformer) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, opts cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	logger := klog.Background()
	if opts.Logger != nil {
		logger = *opts.Logger
	}
	s.mu.Lock()
	policy, w := s.resync.policy(opts.ResyncPeriod, s.started)
	s.mu.Unlock()
	w.tell(logger)
	sub, err := s.core.Subscribe(Tell(handler, logger), informer.SubscribeOptions{
		Name:   HandlerName(handler),
		Resync: policy,
	})
	if err != nil {
		return nil, fmt.Errorf("handler %s was not added to shared informer because it has stopped already", HandlerName(handler))
	}
	return &Registration{kind: s.kind, sub: sub}, nil
}

// RemoveEventHandler ends a registration: no further call begins. One that is
// under way goes on; cache.ShutDownEventHandler waits for it. A registration that was
// removed before, or belongs to another informer, is left alone.
func (s *SharedInformer) RemoveEventHandler(handle cache.ResourceEventHandlerRegistration) error {
	r, ok := handle.(*Registration)
	if !ok {
		return fmt.Errorf("remove event handler from informer for %s: %T is not a handle of this kind of informer", s.kind, handle)
	}
	s.core.Unsubscribe(r.sub)
	return nil
}

// EventHandlerCount is the number of registrations.
func (s *SharedInformer) EventHandlerCount() int { return s.core.Subscriptions() }

// IsRegistered reports whether a handle is a registration of this informer that has not been removed.
func (s *SharedInformer) IsRegistered(handle cache.ResourceEventHandlerRegistration) bool {
	r, ok := handle.(*Registration)
	return ok && s.core.IsSubscribed(r.sub)
}

// GetStore is the informer's store.
func (s *SharedInformer) GetStore() cache.Store { return s.indexer }

// GetIndexer is the informer's store. The handlers are not told what is written to it.
func (s *SharedInformer) GetIndexer() cache.Indexer { return s.indexer }

// AddIndexers adds indexes, also while the informer runs.
func (s *SharedInformer) AddIndexers(indexers cache.Indexers) error {
	if s.core.Stopped() {
		return fmt.Errorf("indexer was not added because it has stopped already: %s: %w", s.kind, engine.ErrStopped)
	}
	return s.indexer.AddIndexers(indexers)
}

// GetController returns what little a shared informer has of a controller.
func (s *SharedInformer) GetController() cache.Controller { return sharedController{s} }

// HasSynced reports whether the first list is in the store. For what a handler has
// been told, ask its registration.
func (s *SharedInformer) HasSynced() bool { return s.core.HasSynced() }

// HasSyncedChecker lets cache.WaitFor wait for HasSynced without polling.
func (s *SharedInformer) HasSyncedChecker() cache.DoneChecker {
	return NewSyncCheck("SharedIndexInformer "+s.kind, s.core.Synced())
}

// LastSyncResourceVersion is the newest version that the informer has heard of.
func (s *SharedInformer) LastSyncResourceVersion() string { return s.core.Version() }

// SetWatchErrorHandler sets who is told of failed lists and watches.
func (s *SharedInformer) SetWatchErrorHandler(handler cache.WatchErrorHandler) error {
	return s.SetWatchErrorHandlerWithContext(func(_ context.Context, r *cache.Reflector, err error) { handler(r, err) })
}

// SetWatchErrorHandlerWithContext sets who is told of failed lists and watches.
func (s *SharedInformer) SetWatchErrorHandlerWithContext(handler cache.WatchErrorHandlerWithContext) error {
	return s.configure("set the watch error handler", func() { s.hooks.OnError.Set(handler) })
}

// SetTransform sets a function that each object passes through before it is kept.
func (s *SharedInformer) SetTransform(transform cache.TransformFunc) error {
	return s.configure("set the transform", func() { s.hooks.Transform.Set(transform) })
}

func (s *SharedInformer) configure(what string, set func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started {
		return fmt.Errorf("%s of informer for %s: %w", what, s.kind, engine.ErrStarted)
	}
	set()
	return nil
}

// IsStopped reports whether the informer has run and ended.
func (s *SharedInformer) IsStopped() bool { return s.core.Stopped() }

// Status tells how the informer is doing.
func (s *SharedInformer) Status() informer.Status { return s.core.Status() }

// sharedController is the read-only side of a controller: a shared informer is run
// by its owner, not through this.
type sharedController struct{ *SharedInformer }

// Run does nothing.
func (sharedController) Run(<-chan struct{}) {}

// RunWithContext does nothing.
func (sharedController) RunWithContext(context.Context) {}

// Hooks are what client-go lets callers set before an informer runs. Who makes the informer asks
// them each time, with what is in effect if nobody has set anything. Nil counts as set, and sets none.
type Hooks struct {
	Transform Hook[cache.TransformFunc]                // what each object passes through before it is kept
	OnError   Hook[cache.WatchErrorHandlerWithContext] // who is told of failed lists and watches
}

// Hook is one of them. Its zero value has nothing set.
type Hook[F any] struct{ set atomic.Pointer[F] }

// Set replaces what was set before.
func (h *Hook[F]) Set(to F) { h.set.Store(&to) }

// Or returns what was set.
func (h *Hook[F]) Or(otherwise F) F {
	if set := h.set.Load(); set != nil {
		return *set
	}
	return otherwise
}

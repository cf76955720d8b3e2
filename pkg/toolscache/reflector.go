package toolscache

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/util/naming"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/engine/peer"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// ReflectorOptions are client-go's.
type ReflectorOptions = cache.ReflectorOptions

// Reflector is client-go's Reflector over ours: it fills a store from a
// ListerWatcher. Its fields may be set until it is first used, and between calls
// of ListAndWatchWithContext.
type Reflector struct {
	// WatchListPageSize is how many objects to ask for in one page of a list. Zero
	// is 500 where the answer comes from the server's database, and all at once
	// where it can come from its memory.
	WatchListPageSize int64
	// ShouldResync is asked at each resync period whether to resync. Nil is yes.
	ShouldResync func() bool
	// MaxInternalErrorRetryDuration is for how long a watch that ends with an
	// internal error of the server is opened again without listing.
	MaxInternalErrorRetryDuration time.Duration

	name, kind   string
	logger       klog.Logger
	clock        clock.Clock
	resyncPeriod time.Duration
	sink         *storeSink
	core         *reflector.Reflector[any]

	// watchErrorHandler is told of what visibleError leaves, with peer as the
	// Reflector that it wants.
	watchErrorHandler cache.WatchErrorHandlerWithContext
	peer              func() *cache.Reflector
}

// NewReflector returns a Reflector that puts what lw shows into store.
// expectedType is an example of its objects.
func NewReflector(lw cache.ListerWatcher, expectedType any, store cache.ReflectorStore, resyncPeriod time.Duration) *Reflector {
	return NewReflectorWithOptions(lw, expectedType, store, ReflectorOptions{ResyncPeriod: resyncPeriod})
}

// NewReflectorWithOptions is NewReflector with more to choose.
func NewReflectorWithOptions(lw cache.ListerWatcher, expectedType any, store cache.ReflectorStore, options ReflectorOptions) *Reflector {
	if options.Clock == nil {
		options.Clock = clock.RealClock{}
	}
	if options.Name == "" {
		options.Name = naming.GetNameFromCallsite("client-go/tools/cache/", "/pkg/toolscache/")
	}
	if options.TypeDescription == "" {
		options.TypeDescription = listwatch.Kind(expectedType)
	}
	logger := klog.Background()
	if options.Logger != nil {
		logger = *options.Logger
	}
	logger = klog.LoggerWithName(logger, options.Name)
	r := &Reflector{
		name: options.Name, kind: options.TypeDescription,
		logger: logger, clock: options.Clock,
		resyncPeriod:      options.ResyncPeriod,
		sink:              newStoreSink(store),
		peer:              peer.Reflector(lw, expectedType, options),
		watchErrorHandler: cache.DefaultWatchErrorHandler,
	}
	opts := peer.Options(lw, options)
	opts.Logger, opts.Ingest = logger, r.sink.ingest()
	r.core = reflector.New(listwatch.Of(clientOf(lw), expectedType), r.sink, keyOrAddress, opts)
	return r
}

// Name is the name it was given, or else the file and line that created it.
func (r *Reflector) Name() string { return r.name }

// TypeDescription says what it lists and watches.
func (r *Reflector) TypeDescription() string { return r.kind }

// LastSyncResourceVersion is the last resource version that it has seen.
func (r *Reflector) LastSyncResourceVersion() string { return r.core.LastSyncResourceVersion() }

// Run is RunWithContext for a channel.
func (r *Reflector) Run(stopCh <-chan struct{}) { r.RunWithContext(wait.ContextForChannel(stopCh)) }

// RunWithContext lists and watches until ctx ends.
func (r *Reflector) RunWithContext(ctx context.Context) {
	for ctx.Err() == nil {
		err := reflector.ErrPanicked
		peer.Guard(ctx, func() { err = r.cycle(ctx) })
		if errors.Is(err, reflector.ErrPanicked) {
			r.core.Recover(ctx, err)
			continue
		}
		if err := peer.VisibleError(err); err != nil {
			r.watchErrorHandler(ctx, r.peer(), err)
		}
		r.core.Recover(ctx, err)
	}
}

// ListAndWatchWithContext lists once and watches until the position is lost or
// ctx ends. It returns an error only if no watch came about.
func (r *Reflector) ListAndWatchWithContext(ctx context.Context) error {
	return peer.VisibleError(r.cycle(ctx))
}

// cycle is the core's cycle, with resyncs beside it where they are wanted.
func (r *Reflector) cycle(ctx context.Context) error {
	r.core.Adjust(func(s *informer.Settings) {
		s.PageSize, s.InternalErrorRetry = r.WatchListPageSize, r.MaxInternalErrorRetryDuration
	})
	if r.resyncPeriod == 0 {
		return r.core.Cycle(ctx)
	}
	var err error
	listed := r.sink.awaitReplace()
	g := lifecycle.New(ctx)
	g.Go("list and watch", func(ctx context.Context) error {
		err = r.core.Cycle(ctx)
		return nil
	})
	g.Go("resync", func(ctx context.Context) error { return r.resync(ctx, listed) })
	if failed := g.Wait(); failed != nil {
		r.logger.Error(failed, "Listing again", "type", r.kind)
	}
	return err
}

// resync asks the store for a resync at each period after the list.
func (r *Reflector) resync(ctx context.Context, listed <-chan struct{}) error {
	select {
	case <-listed:
	case <-ctx.Done():
		return nil
	}
	for {
		timer := r.clock.NewTimer(r.resyncPeriod)
		select {
		case <-timer.C():
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
		if r.ShouldResync != nil && !r.ShouldResync() {
			continue
		}
		if err := r.sink.store.Resync(); err != nil {
			return err
		}
	}
}

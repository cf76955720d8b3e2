package toolscache

import (
	"context"
	"errors"
	"sync/atomic"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientfeatures "k8s.io/client-go/features"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/engine/peer"
)

// New returns client-go's low-level controller over our reflector: it fills
// config's queue and has config's Process called with what the queue pops. An
// error of Process is reported, and what it was about is given up.
func New(config *cache.Config) cache.Controller {
	return &controller{config: *config}
}

type controller struct {
	config    cache.Config
	reflector atomic.Pointer[Reflector] // of the run; nil before
}

// Run is [controller.RunWithContext] until stop is closed.
func (c *controller) Run(stop <-chan struct{}) { c.RunWithContext(wait.ContextForChannel(stop)) }

// RunWithContext lists, watches and processes until ctx ends. A panic of Process
// is raised again here.
func (c *controller) RunWithContext(ctx context.Context) {
	defer utilruntime.HandleCrashWithContext(ctx)
	defer peer.UnwrapCrash(klog.FromContext(ctx))
	reflector := c.newReflector(klog.FromContext(ctx))
	c.reflector.Store(reflector)
	group := lifecycle.New(ctx)
	defer group.Stop()
	defer context.AfterFunc(ctx, c.config.Queue.Close)()
	group.Go("reflect", func(ctx context.Context) error {
		reflector.RunWithContext(ctx)
		return nil
	})
	group.Go("process", c.process)
	_ = group.Wait() // both end with ctx
}

func (c *controller) newReflector(logger klog.Logger) *Reflector {
	r := NewReflectorWithOptions(c.config.ListerWatcher, c.config.ObjectType, c.config.Queue, ReflectorOptions{
		Logger:          &logger,
		ResyncPeriod:    c.config.FullResyncPeriod,
		MinWatchTimeout: c.config.MinWatchTimeout,
		TypeDescription: c.config.ObjectDescription,
	})
	r.ShouldResync = c.config.ShouldResync
	r.WatchListPageSize = c.config.WatchListPageSize
	switch {
	case c.config.WatchErrorHandler != nil:
		r.watchErrorHandler = func(_ context.Context, peer *cache.Reflector, err error) { c.config.WatchErrorHandler(peer, err) }
	case c.config.WatchErrorHandlerWithContext != nil:
		r.watchErrorHandler = c.config.WatchErrorHandlerWithContext
	}
	return r
}

// errCrashed stands where Process has panicked. The panic was reported.
var errCrashed = errors.New("it panicked")

// process pops until the queue is closed.
func (c *controller) process(ctx context.Context) error {
	for ctx.Err() == nil {
		err := errCrashed
		peer.Guard(ctx, func() { err = c.pop() })
		switch {
		case errors.Is(err, errCrashed):
			lifecycle.Sleep(ctx, peer.AfterCrash)
		case errors.Is(err, cache.ErrFIFOClosed):
			return nil
		case err != nil:
			utilruntime.HandleErrorWithContext(ctx, err, "Processing failed and is given up", "type", c.config.ObjectDescription)
		}
	}
	return nil
}

func (c *controller) pop() error {
	process := cache.PopProcessFunc(c.config.Process)
	batched := clientfeatures.FeatureGates().Enabled(clientfeatures.InOrderInformersBatchProcess)
	if queue, ok := c.config.Queue.(cache.QueueWithBatch); ok && batched && c.config.ProcessBatch != nil {
		return queue.PopBatch(c.config.ProcessBatch, process)
	}
	_, err := c.config.Pop(process)
	return err
}

// HasSynced reports whether the queue's first list was processed.
func (c *controller) HasSynced() bool { return c.config.Queue.HasSynced() }

// HasSyncedChecker lets cache.WaitFor wait for HasSynced without polling.
func (c *controller) HasSyncedChecker() cache.DoneChecker { return c.config.Queue.HasSyncedChecker() }

// LastSyncResourceVersion is the newest version that the reflector has heard of.
func (c *controller) LastSyncResourceVersion() string {
	if reflector := c.reflector.Load(); reflector != nil {
		return reflector.LastSyncResourceVersion()
	}
	return ""
}

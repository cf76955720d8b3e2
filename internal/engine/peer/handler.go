package peer

import (
	"fmt"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// AfterCrash is how long what has panicked is left alone, where panics are configured not to end
// the process.
const AfterCrash = time.Second

// Tell returns a subscriber that calls the handler, and outlives its panics where these do not end the process.
func Tell(handler cache.ResourceEventHandler, logger klog.Logger) func(*delta.Delta[any]) {
	crashed := false // in the last call; used by the subscriber's goroutine alone
	return func(d *delta.Delta[any]) {
		if crashed {
			time.Sleep(AfterCrash)
		}
		crashed = true
		defer utilruntime.HandleCrashWithLogger(logger)
		show(handler, d)
		crashed = false
	}
}

// show calls the handler's method for d.
func show(handler cache.ResourceEventHandler, d *delta.Delta[any]) {
	switch d.Op {
	case delta.Added:
		handler.OnAdd(d.New, d.Initial)
	case delta.Updated, delta.Sync:
		handler.OnUpdate(d.Old, d.New)
	case delta.Deleted:
		if d.Missed {
			handler.OnDelete(cache.DeletedFinalStateUnknown{Key: d.Key.String(), Obj: d.Old})
		} else {
			handler.OnDelete(d.New)
		}
	case delta.OutOfScope: // client-go has no word for it: OnDelete would have things cleaned up that are there
	default:
		panic(fmt.Sprintf("BUG: a subscriber was told %s of %s", d.Op, d.Key))
	}
}

// Registration is the handle of an event handler.
type Registration struct {
	kind string
	sub  *engine.Subscription[any]
}

var _ cache.ResourceEventHandlerRegistration = &Registration{}

// HasSynced reports whether the handler has been told everything of the first
// list, or, if it was added later, of what was there then.
func (r *Registration) HasSynced() bool { return cache.IsDone(r.HasSyncedChecker()) }

// HasSyncedChecker lets cache.WaitFor wait for HasSynced without polling.
func (r *Registration) HasSyncedChecker() cache.DoneChecker {
	return NewSyncCheck(fmt.Sprintf("SharedIndexInformer %s + event handler %s", r.kind, r.sub.Name()), r.sub.Synced())
}

// ShutdownChan is closed when the handler is not being called and will not be
// again; cache.ShutDownEventHandler waits for it.
func (r *Registration) ShutdownChan() <-chan struct{} { return r.sub.Done() }

// HandlerName says which handler it is, in logs and status.
func HandlerName(handler cache.ResourceEventHandler) string {
	return fmt.Sprintf("%T", handler)
}

// syncCheck is a cache.DoneChecker.
type syncCheck struct {
	name string
	done <-chan struct{}
}

// NewSyncCheck lets cache.WaitFor wait until done is closed.
func NewSyncCheck(name string, done <-chan struct{}) cache.DoneChecker { return syncCheck{name, done} }

// Name says what is waited for.
func (c syncCheck) Name() string { return c.name }

// Done is closed when it has happened.
func (c syncCheck) Done() <-chan struct{} { return c.done }

package peer

import (
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
)

// UnwrapCrash goes on panicking with what the task panicked with, which is what a
// caller that recovers expects, after logging where that was.
func UnwrapCrash(logger klog.Logger) {
	switch value := recover().(type) {
	case nil:
	case *lifecycle.Crash:
		logger.Error(value, "A task of the controller panicked", "task", value.Task)
		panic(value.Value)
	default:
		panic(value)
	}
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

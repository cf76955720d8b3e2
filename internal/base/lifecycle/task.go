package lifecycle

import (
	"context"
	"errors"
	"time"
)

// Task is a task of a Group that can be ended without the Group.
type Task struct {
	stop context.CancelFunc
	done chan struct{} // closed when the task has returned
}

// Task starts a guest of the Group that can be ended on its own. It returns nil if the Group
// has already been stopped.
func (g *Group) Task(name string, task func(context.Context)) *Task {
	ctx, stop := context.WithCancel(g.ctx)
	t := &Task{stop: stop, done: make(chan struct{})}
	started := g.Guest(name, func(context.Context) {
		defer close(t.done)
		defer stop()
		task(ctx)
	})
	if !started {
		stop()
		return nil
	}
	return t
}

// Stop asks the task to end. It does not wait for the end.
func (t *Task) Stop() { t.stop() }

// Done is closed when the task has returned.
func (t *Task) Done() <-chan struct{} { return t.done }

// End asks the task to end, and waits until it has returned.
func (t *Task) End() {
	t.stop()
	<-t.done
}

// Sleep waits for that time, or until ctx ends. It reports whether ctx is still alive.
func Sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// ErrGoexit is the Value of the [Crash] of a task that ended its goroutine with runtime.Goexit, as a failed assertion
// of a test does.
var ErrGoexit = errors.New("the task called runtime.Goexit")

package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
)

// Group runs tasks until one that was started with Go returns, its context
// ends, or Stop is called.
type Group struct {
	ctx  context.Context // handed to every task
	stop context.CancelFunc

	mu      lock.Mutex[lock.Group] // guards everything below
	idle    sync.Cond              // signalled when no task runs any more
	running int                    // tasks that have not returned
	err     error                  // what the first task that ended the Group returned
	crash   *Crash                 // the first panic. Invariant: once set, it stays.
}

// Crash is what Wait panics with when a task panicked.
type Crash struct {
	Task  string // its name
	Value any    // what it panicked with; see also ErrGoexit
	Stack []byte // where, in the task's goroutine
}

// Error makes the panic readable: the value first, then the goroutine that it
// really happened in.
func (c *Crash) Error() string {
	return fmt.Sprintf("panic in task %q: %v\n%s", c.Task, c.Value, c.Stack)
}

// Unwrap gives a panicked error back to errors.Is and errors.As.
func (c *Crash) Unwrap() error {
	err, _ := c.Value.(error)
	return err
}

// New returns a Group whose tasks end with ctx.
func New(ctx context.Context) *Group {
	g := &Group{}
	g.ctx, g.stop = context.WithCancel(ctx)
	g.idle.L = &g.mu
	return g
}

// Go starts a task that the Group cannot do without: when it returns, all stop.
// It reports false, and starts nothing, if the Group has already been stopped.
func (g *Group) Go(name string, task func(context.Context) error) bool {
	return g.start(name, g.needed(name, task))
}

// needed makes all stop when the task returns.
func (g *Group) needed(name string, task func(context.Context) error) func(context.Context) {
	return func(ctx context.Context) {
		err := task(ctx)
		g.mu.Lock()
		if g.err == nil && err != nil && !errors.Is(err, context.Canceled) {
			g.err = fmt.Errorf("%s: %w", name, err)
		}
		g.mu.Unlock()
		g.stop()
	}
}

// Here runs a task as Go does, but in the goroutine of the caller, and then waits as Wait
// does. A panic of another task is raised when this one has returned.
func (g *Group) Here(name string, task func(context.Context) error) error {
	if g.enter() {
		returned := false
		defer func() {
			if !returned {
				_ = g.Wait() // panics in place of the Goexit, which nobody would notice
			}
		}()
		g.run(name, g.needed(name, task))
		returned = true
	}
	return g.Wait()
}

// Guest starts a task that may come and go: the Group waits for it, but goes on
// when it returns. It reports false if the Group has already been stopped.
func (g *Group) Guest(name string, task func(context.Context)) bool {
	return g.start(name, task)
}

func (g *Group) start(name string, task func(context.Context)) bool {
	started := g.enter()
	if started {
		go g.run(name, task)
	}
	return started
}

// enter notes that a task begins, unless the Group has been stopped.
func (g *Group) enter() (started bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ctx.Err() != nil {
		return false
	}
	g.running++
	return true
}

// run calls a task, and notes how it ended.
func (g *Group) run(name string, task func(context.Context)) {
	returned := false
	defer func() {
		value := recover()
		if value == nil && !returned {
			value = ErrGoexit
		}
		g.ended(name, value)
	}()
	task(g.ctx)
	returned = true
}

// ended notes that a task has returned, or what it panicked with. It runs deferred in
// the task's goroutine, so that the stack is the one where it happened.
func (g *Group) ended(name string, value any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if value != nil && g.crash == nil {
		g.crash = &Crash{Task: name, Value: value, Stack: debug.Stack()}
	}
	if value != nil {
		g.stop()
	}
	g.running--
	if g.running == 0 || value != nil {
		g.idle.Broadcast()
	}
}

// Stop asks every task to end. It does not wait; Wait does.
func (g *Group) Stop() { g.stop() }

// Wait blocks until the Group is stopped and every task has returned. It returns the error of the task that ended the
// Group. It panics as soon as a task has: another one may be waiting for the task that is gone.
func (g *Group) Wait() error {
	<-g.ctx.Done()
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.running > 0 && g.crash == nil {
		g.idle.Wait()
	}
	if g.crash != nil {
		panic(g.crash)
	}
	return g.err
}

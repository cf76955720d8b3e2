package ctrlqueue

import (
	"context"
	"time"

	"k8s.io/utils/clock"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/keyqueue"
)

// tasks are the goroutines of a queue, if it has any. The constructors of client-go and
// controller-runtime have no Run and no context. So tasks start and end with their queue.
type tasks struct{ *lifecycle.Group }

func newTasks() tasks { return tasks{lifecycle.New(context.Background())} }

// every calls do once in each period of the clock c, or of the system's if that is nil.
func (t tasks) every(c clock.WithTicker, period time.Duration, do func()) {
	if c == nil {
		c = clock.RealClock{}
	}
	ticker := c.NewTicker(period)
	t.at("tick", ticker.C(), do, ticker.Stop)
}

// at calls do whenever something comes, and stop in the end.
func (t tasks) at(name string, comes <-chan time.Time, do, stop func()) {
	t.Guest(name, func(ctx context.Context) {
		defer stop()
		for {
			select {
			case <-comes:
				do()
			case <-ctx.Done():
				return
			}
		}
	})
}

// end stops the tasks and returns when they have ended.
func (t tasks) end() {
	t.Stop()
	_ = t.Wait() // guests return no error, and Wait passes on a panic
}

// keepTime makes the queue use a caller's own clock. The core uses the system's clock by
// default, at half the cost.
func keepTime[T comparable](t tasks, c clock.WithTicker, o *keyqueue.Options[T]) {
	if _, system := c.(clock.RealClock); c == nil || system {
		return
	}
	o.Now = c.Now
	// A clock's AfterFunc can't be used: not every clock has one, and the fake clock calls back
	// with its own lock held. So the alarm rings from a task of its own.
	o.AfterFunc = func(d time.Duration, ring func()) keyqueue.Alarm {
		timer := c.NewTimer(d)
		t.at("alarm", timer.C(), ring, func() { timer.Stop() })
		return timer
	}
}

package ctrlqueue

import (
	"context"
	"time"

	"k8s.io/utils/clock"

	"github.com/delta-runtime/delta-runtime/internal/keyqueue"
	"github.com/delta-runtime/delta-runtime/internal/lifecycle"
)

// tasks are what a queue runs beside itself, if anything. Foreign constructors
// have no Run and no context, so the tasks start with the queue and end with it.
type tasks struct{ *lifecycle.Group }

func newTasks() tasks { return tasks{lifecycle.New(context.Background())} }

// every calls do each period, by the given clock.
func (t tasks) every(c clock.WithTicker, period time.Duration, do func()) {
	ticker := c.NewTicker(period)
	t.Guest("tick", func(ctx context.Context) {
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C():
				do()
			case <-ctx.Done():
				return
			}
		}
	})
}

// end stops the tasks and returns when they are gone.
func (t tasks) end() {
	t.Stop()
	_ = t.Wait() // guests end a group by panicking only, and Wait passes that on
}

// keepTime makes the queue follow a foreign clock. The system's own is what the
// core uses anyway, at half the cost.
func keepTime[T comparable](t tasks, c clock.WithTicker, o *keyqueue.Options[T]) {
	if _, system := c.(clock.RealClock); c == nil || system {
		return
	}
	o.Now = c.Now
	o.AfterFunc = func(d time.Duration, ring func()) keyqueue.Alarm {
		a := &alarm{timer: c.NewTimer(d)}
		t.Guest("alarm", func(ctx context.Context) { a.run(ctx, ring) })
		return a
	}
}

// alarm rings from a task of its own. A clock's AfterFunc will not do: not every
// clock has one, and the fake one calls back with its own lock held.
type alarm struct{ timer clock.Timer }

func (a *alarm) run(ctx context.Context, ring func()) {
	defer a.timer.Stop()
	for {
		select {
		case <-a.timer.C():
			ring()
		case <-ctx.Done():
			return
		}
	}
}

func (a *alarm) Reset(d time.Duration) bool { return a.timer.Reset(d) }

func (a *alarm) Stop() bool { return a.timer.Stop() }

package ctrlqueue

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	testingclock "k8s.io/utils/clock/testing"

	"github.com/delta-runtime/delta-runtime/internal/lifecycle"
)

// A clock that is set back takes its timers with it. What is added from then on comes
// when it was asked for, although an earlier timer now rings much later.
func TestAddAfterTheClockWasSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		clock := testingclock.NewFakeClock(start)
		q := NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[string]{Clock: clock})
		q.AddAfter("before", 30*time.Second)
		clock.SetTime(start.Add(-24 * time.Hour))
		q.AddAfter("after", time.Minute)
		var got []string
		g := lifecycle.New(t.Context())
		g.Guest("worker", func(context.Context) {
			for {
				key, shutdown := q.Get()
				if shutdown {
					return
				}
				got = append(got, key)
				q.Done(key)
			}
		})
		for _, want := range []int{0, 1, 2} {
			synctest.Wait() // nobody asks for the time meanwhile but the queue's own timer
			if len(got) != want {
				t.Errorf("got %v, want %d", got, want)
			}
			clock.Step(30 * time.Second)
		}
		q.ShutDown()
		g.Stop()
		_ = g.Wait()
	})
}

package ctrlqueue

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	testingclock "k8s.io/utils/clock/testing"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
)

// A clock that is set back delays its timers. A key that is added afterwards still comes in time,
// although an earlier timer now rings much later.
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
			synctest.Wait() // only the queue's own timer reads the clock meanwhile
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

package engine

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/timetable"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// The whole way round: subscribers, a controller that asks for more after each
// batch, and one subscriber that is stuck for a while.
func TestResyncerServesSubscribersThatKeepUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 1000
		s := newPlatform(t)
		kicked := make(chan struct{}, 1)
		kick := func() {
			select {
			case kicked <- struct{}{}:
			default:
			}
		}
		r := newResyncer(resyncSeams{
			keys: func(resync.Policy) []delta.Key { return someKeys(n) },
			lag:  s.lagOrAwait,
			kick: kick,
		})
		s.calmed = kick
		runResyncer(s, r, kicked)
		release := make(chan struct{})
		var calls [3]atomic.Int64
		told := func() [3]int64 { return [3]int64{calls[0].Load(), calls[1].Load(), calls[2].Load()} }
		var numbers [3]uint32
		var last atomic.Int64 // when the second was told last
		for i := range calls {
			l := s.add(informer.SubscribeOptions{}, nil, func(*delta.Delta[part]) {
				if calls[i].Add(1) == 100 && i == 2 {
					<-release
				}
				if i == 1 {
					last.Store(time.Now().UnixNano())
				}
			})
			numbers[i] = l.number
			r.set(l.number, resync.Policy{Period: []time.Duration{resync.Never, time.Minute, time.Minute}[i]})
		}
		start := time.Now()
		time.Sleep(90 * time.Second)
		synctest.Wait()
		if got, want := told(), [3]int64{0, n, 100}; got != want {
			t.Errorf("told %v, want %v", got, want)
		}
		if late := time.Duration(last.Load()-start.UnixNano()) - time.Minute; late < 0 || late > timetable.Patience {
			t.Errorf("the subscriber that keeps up was done %v after its tick", late)
		}
		close(release)
		synctest.Wait()
		if got, want := told(), [3]int64{0, n, n}; got != want {
			t.Errorf("after the one that was stuck goes on, told %v, want %v", got, want)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got, want := told(), [3]int64{0, 2 * n, 2 * n}; got != want {
			t.Errorf("after two ticks told %v, want %v", got, want)
		}
		r.trigger(nil, numbers[0])
		r.remove(numbers[1])
		synctest.Wait()
		time.Sleep(time.Minute)
		synctest.Wait()
		if got, want := told(), [3]int64{n, 2 * n, 3 * n}; got != want {
			t.Errorf("after asking for the first and removing the second told %v, want %v", got, want)
		}
	})
}

// runResyncer runs r with a Controller that has nothing else to do.
func runResyncer(s *platform, r *resyncer, kicked <-chan struct{}) {
	s.group.Go("keep time", func(ctx context.Context) error { return keepTime(ctx, r, func(time.Time) {}) })
	s.group.Go("controller", func(ctx context.Context) error {
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-kicked:
			}
			for batch, ok := r.refill(); ok; batch, ok = r.refill() {
				events := make([]event[part], len(batch.Keys))
				for i, key := range batch.Keys {
					events[i] = event[part]{Delta: delta.Delta[part]{Key: key, Op: delta.Sync}, to: batch.To}
				}
				s.publish(events)
			}
		}
	})
}

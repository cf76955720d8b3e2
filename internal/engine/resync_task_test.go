package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/internal/timetable"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// A subscriber that is stuck holds up the others for a moment, and is shown the rest when it goes on.
func TestAResyncServesSubscribersThatKeepUp(t *testing.T) {
	withCrowd(t, 1000, resync.Policy{Period: time.Minute}, func(r *resyncRig) {
		quick, leaves, release, calls := r.observe(resync.Policy{}), r.observe(resync.Policy{}), make(chan struct{}), 0
		stuck, err := r.Subscribe(func(d *delta.Delta[faulty.Thing]) {
			if d.Op != delta.Sync {
				return
			}
			if calls++; calls == 100 {
				<-release
			}
		}, informer.SubscribeOptions{})
		if err != nil {
			r.Fatal(err)
		}
		time.Sleep(90 * time.Second)
		synctest.Wait()
		if last := quick.at[len(quick.at)-1]; last > time.Minute+timetable.Patience || calls != 100 {
			r.Errorf("the subscriber that keeps up was done at %v, the other was shown %d", last, calls)
		}
		r.expect("who keeps up", quick, 1000, 500)
		close(release)
		synctest.Wait()
		if calls != 1000 {
			r.Errorf("when it goes on the one that was stuck is shown %d in all", calls)
		}
		r.Unsubscribe(leaves.Subscription)
		stuck.Resync(nil)
		synctest.Wait()
		time.Sleep(time.Minute)
		synctest.Wait()
		if calls != 3000 {
			r.Errorf("after asking for one resync and one more period it is shown %d in all", calls)
		}
		r.expect("in the next period", quick, 1000, 500)
	})
}

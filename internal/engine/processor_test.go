package engine

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// part is an object reduced to which one it is and in which state. The zero part is none.
type part struct {
	uid   string
	state int
}

func partTraits() *store.Traits[part] {
	return &store.Traits[part]{
		Version: func(o part) string { return fmt.Sprint(o.state) },
		UID:     func(o part) string { return o.uid },
	}
}

// world is a snapshot that counts its releases.
type world struct {
	objects  map[delta.Key]part
	released *atomic.Int32
}

func (w world) All() iter.Seq2[delta.Key, part] { return maps.All(w.objects) }
func (w world) Len() int                        { return len(w.objects) }
func (w world) Release()                        { w.released.Add(1) }

func worldOf(objects map[delta.Key]part) world {
	return world{maps.Clone(objects), new(atomic.Int32)}
}

// platform is a processor whose subscribers run, in a bubble.
type platform struct {
	*processor[part]
	group *lifecycle.Group
}

func newPlatform(t *testing.T) *platform {
	t.Helper()
	s := &platform{newProcessor(partTraits(), logr.Discard()), lifecycle.New(t.Context())}
	t.Cleanup(func() {
		s.group.Stop()
		_ = s.group.Wait()
	})
	return s
}

// add makes a subscriber, and lets it join and run.
func (s *platform) add(opts informer.SubscribeOptions, from inventory[part], tell func(*delta.Delta[part])) *subscriber[part] {
	l := s.newSubscriber(opts, tell)
	if s.join(l, from) {
		s.group.Guest(opts.Name, l.run)
	}
	return l
}

// added is a batch of n Added.
func added(n int) []event[part] {
	batch := make([]event[part], n)
	for i := range batch {
		batch[i].Delta = delta.Delta[part]{Key: delta.Key{Name: fmt.Sprint(i)}, Op: delta.Added, New: part{fmt.Sprint(i), i}}
	}
	return batch
}

func TestLateSubscriberHearsTheSnapshotThenWhatFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPlatform(t)
		s.publish(time.Now(), added(3))
		s.markSynced()
		before := worldOf(map[delta.Key]part{{Name: "0"}: {"0", 0}, {Name: "1"}: {"1", 1}})
		var told []string
		l := s.newSubscriber(informer.SubscribeOptions{Name: "late"}, func(d *delta.Delta[part]) {
			told = append(told, fmt.Sprint(d.Op, " initial ", d.Initial, " version ", d.Version))
		})
		s.join(l, before)
		s.publish(time.Now(), []event[part]{{Delta: delta.Delta[part]{Op: delta.Deleted}}})
		if isClosed(l.Synced()) {
			t.Error("synced before it was told anything")
		}
		s.group.Guest("late", l.run)
		synctest.Wait()
		slices.Sort(told)
		want := []string{"Added initial true version 0", "Added initial true version 1", "Deleted initial false version "}
		if !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
		if !isClosed(l.Synced()) || before.released.Load() != 1 {
			t.Errorf("synced: %t, snapshot released %d times", isClosed(l.Synced()), before.released.Load())
		}
	})
}

func TestSubscriberOfNothingIsSynced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPlatform(t)
		l := s.add(informer.SubscribeOptions{}, nil, func(*delta.Delta[part]) {})
		synctest.Wait()
		if isClosed(l.Synced()) {
			t.Error("synced before the first list")
		}
		s.markSynced()
		synctest.Wait()
		if !isClosed(l.Synced()) {
			t.Error("not synced after an empty first list")
		}
	})
}

func TestSubscriberMayLeaveFromItsHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPlatform(t)
		heard := 0
		var l *subscriber[part]
		l = s.newSubscriber(informer.SubscribeOptions{}, func(*delta.Delta[part]) {
			heard++
			s.leave(l)
			s.leave(l)
		})
		s.join(l, nil)
		s.group.Guest("", l.run)
		s.publish(time.Now(), added(5))
		s.publish(time.Now(), added(5))
		synctest.Wait()
		if left := len(*s.subscribers.Load()); heard != 1 || !isClosed(l.Done()) || left != 0 {
			t.Errorf("heard %d after leaving at the first, done: %t, subscribers: %d", heard, isClosed(l.Done()), left)
		}
	})
}

func TestDoneWaitsForTheHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPlatform(t)
		step := make(chan struct{})
		l := s.add(informer.SubscribeOptions{}, nil, func(*delta.Delta[part]) { <-step })
		s.publish(time.Now(), added(2))
		synctest.Wait()
		s.leave(l)
		synctest.Wait()
		if isClosed(l.Done()) {
			t.Error("done while its handler is being called")
		}
		close(step)
		synctest.Wait()
		if !isClosed(l.Done()) {
			t.Error("not done after its handler returned")
		}
	})
}

// A subscriber that never runs is done when it leaves, and its snapshot is given back.
func TestSubscribersThatNeverRun(t *testing.T) {
	p := newProcessor(partTraits(), logr.Discard())
	fail := func(*delta.Delta[part]) { t.Error("told something") }
	snapshots := make([]world, 3)
	for i := range snapshots {
		snapshots[i] = worldOf(map[delta.Key]part{{Name: "a"}: {"a", 1}})
	}
	early, left, waiting := p.newSubscriber(informer.SubscribeOptions{}, fail), p.newSubscriber(informer.SubscribeOptions{}, fail),
		p.newSubscriber(informer.SubscribeOptions{}, fail)
	p.leave(early)
	if p.join(early, snapshots[0]) {
		t.Error("joined after it had left")
	}
	if !p.join(left, snapshots[1]) || !p.join(waiting, snapshots[2]) {
		t.Error("could not join")
	}
	p.leave(left)
	p.publish(time.Now(), added(1))
	p.leave(waiting)
	for i, l := range []*subscriber[part]{early, left, waiting} {
		l.run(t.Context())
		if !isClosed(l.Done()) {
			t.Errorf("subscriber %d is not done", i)
		}
		if n := snapshots[i].released.Load(); n != 1 {
			t.Errorf("snapshot %d was released %d times", i, n)
		}
	}
}

func TestLeavingDuringTheSnapshotReleasesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newPlatform(t)
		snapshot := worldOf(map[delta.Key]part{{Name: "a"}: {"a", 1}, {Name: "b"}: {"b", 2}})
		heard := 0
		var l *subscriber[part]
		l = s.newSubscriber(informer.SubscribeOptions{}, func(*delta.Delta[part]) { heard++; s.leave(l) })
		s.join(l, snapshot)
		s.group.Guest("", l.run)
		synctest.Wait()
		if heard != 1 || snapshot.released.Load() != 1 || isClosed(l.Synced()) {
			t.Errorf("heard %d of 2, released %d times, synced: %t", heard, snapshot.released.Load(), isClosed(l.Synced()))
		}
	})
}

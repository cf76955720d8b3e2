package engine

import (
	"fmt"
	"maps"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/engine/timetable"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// Subscribers that come and go while things happen, some slow, each rebuild the world from
// nothing but what they are told. Each must end up with the store's content, and every step
// on the way must make sense.
func TestSubscribersRebuildTheWorld(t *testing.T) {
	seeds.Each(t, usualSeeds, func(t *testing.T, seed uint64) {
		synctest.Test(t, func(t *testing.T) { rebuildWorld(t, seed) })
	})
}

// observer is a subscriber with what it believes.
type observer struct {
	*subscriber[part]
	world map[delta.Key]part
	err   atomic.Pointer[error] // the first part that made no sense
}

func rebuildWorld(t *testing.T, seed uint64) {
	s := newPlatform(t)
	h := newHistory(seed)
	keys := 1 + h.rng.IntN(20)
	var observers []*observer
	join := func() {
		o := &observer{world: map[delta.Key]part{}}
		opts := informer.SubscribeOptions{Name: fmt.Sprint("observer ", len(observers)), HighWater: 1 + h.rng.Uint64N(30)}
		slow := h.rng.IntN(4) // how often it lets others go first
		if h.rng.IntN(3) > 0 {
			slow = 0
		}
		o.subscriber = s.add(opts, worldOf(h.now), func(d *delta.Delta[part]) {
			for range slow {
				runtime.Gosched()
			}
			if err := o.hear(d); err != nil {
				err = fmt.Errorf("told %s %s %v→%v: %w", d.Op, d.Key, d.Old, d.New, err)
				o.err.CompareAndSwap(nil, &err)
			}
		})
		observers = append(observers, o)
	}
	join()
	for range 60 {
		switch h.rng.IntN(12) {
		case 0:
			join()
		case 1:
			s.leave(observers[h.rng.IntN(len(observers))].subscriber)
		case 2:
			synctest.Wait()
		case 3:
			s.markSynced()
		default:
			s.publish(time.Now(), someBatch(h, keys, observers))
		}
	}
	s.markSynced()
	synctest.Wait()
	for _, o := range observers {
		if err := o.err.Load(); err != nil {
			t.Errorf("%s was %v", o.opts.Name, *err)
		}
		switch left := s.find(o.number) == nil; {
		case left != isClosed(o.Done()):
			t.Errorf("%s left: %t, done: %t", o.opts.Name, left, isClosed(o.Done()))
		case left:
		case !maps.Equal(o.world, h.now):
			t.Errorf("%s believes %v, the store has %v", o.opts.Name, o.world, h.now)
		case !isClosed(o.Synced()):
			t.Errorf("%s has been told everything and is not synced", o.opts.Name)
		case o.lag() != 0:
			t.Errorf("%s has been told everything and lags by %d", o.opts.Name, o.lag())
		}
	}
}

// someBatch makes up a batch; its Syncs are for some of the observers only.
func someBatch(h *history, keys int, observers []*observer) []event[part] {
	batch := make([]event[part], 1+h.rng.IntN(20))
	for i := range batch {
		batch[i].Delta = h.next(keys)
		if batch[i].Op == delta.Sync {
			batch[i].to = &timetable.Audience{Members: []uint32{observers[h.rng.IntN(len(observers))].number}}
		}
	}
	return batch
}

// hear returns what is wrong with telling d next.
func (o *observer) hear(d *delta.Delta[part]) error {
	known, knows := o.world[d.Key]
	switch {
	case d.Old != known:
		return fmt.Errorf("old is not %v, which was told last", known)
	case knows == (d.Op == delta.Added):
		return fmt.Errorf("known before: %t", knows)
	case d.Op == delta.Deleted:
		delete(o.world, d.Key)
	default:
		o.world[d.Key] = d.New
	}
	return nil
}

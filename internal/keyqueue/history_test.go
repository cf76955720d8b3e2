package keyqueue

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

// span is when a call began and when it returned, by a clock that only counts.
type span struct{ began, ended int64 }

// before reports that a was over when b began. Otherwise the two may have happened in any order.
func (a span) before(b span) bool { return a.ended < b.began }

// history is what happened to one key. Each key is added once and handed out once.
type history struct {
	priority     int
	added, taken span
}

// histories are those of all keys, and what Len returned meanwhile.
type histories struct {
	clock atomic.Int64
	keys  []history
	lens  []struct {
		span
		n int
	}
}

func (h *histories) call(do func()) (s span) {
	s.began = h.clock.Add(1)
	do()
	s.ended = h.clock.Add(1)
	return s
}

// TestOrderUnderLoad plays producers and workers at the same time, and looks at what they saw. There
// must be an order of all calls in which the queue is right, and in which a call that was over when
// another began comes first.
func TestOrderUnderLoad(t *testing.T) {
	seeds.Run(t, usualSeeds, func(t *testing.T, rng *rand.Rand) {
		o := Options[int]{Merge: Merge(rng.IntN(2)), Ageing: queue.Ageing{Patience: -1}}
		if rng.IntN(2) == 0 {
			o.Observe = func([]Event) {}
		}
		h := play(New(o), rng)
		if err := h.check(); err != nil {
			t.Error(err)
		}
	})
}

func play(q *Queue[int], rng *rand.Rand) *histories {
	const producers, perProducer, workers = 3, 60, 3
	h := &histories{keys: make([]history, producers*perProducer)}
	for i := range h.keys {
		h.keys[i].priority = rng.IntN(3)
	}
	var adding, working sync.WaitGroup
	for p := range producers {
		adding.Go(func() {
			for key := p; key < len(h.keys); key += producers {
				k := &h.keys[key]
				k.added = h.call(func() { q.AddWithOptions(queue.AddOptions{Priority: k.priority}, key) })
			}
		})
	}
	for range workers {
		working.Go(func() {
			for {
				var key int
				var ok bool
				s := h.call(func() { key, ok = q.Get() })
				if !ok {
					return
				}
				h.keys[key].taken = s
				q.Done(key)
			}
		})
	}
	for range 50 {
		var n int
		s := h.call(func() { n = q.Len() })
		h.lens = append(h.lens, struct {
			span
			n int
		}{s, n})
	}
	adding.Wait()
	q.ShutDownWithDrain()
	working.Wait()
	return h
}

func (h *histories) check() error {
	for i, k := range h.keys {
		if k.taken.ended == 0 || k.taken.before(k.added) {
			return fmt.Errorf("key %d was added at %v and handed out at %v", i, k.added, k.taken)
		}
		for j, other := range h.keys {
			waited := other.added.before(k.taken) && k.taken.before(other.taken)
			earlier := other.priority > k.priority || other.priority == k.priority && other.added.before(k.added)
			if waited && earlier {
				return fmt.Errorf("key %d was handed out before key %d: %+v and %+v", i, j, k, other)
			}
		}
	}
	for _, l := range h.lens {
		least, most := 0, 0
		for _, k := range h.keys {
			if k.added.before(l.span) && l.before(k.taken) {
				least++
			}
			if !l.before(k.added) && !k.taken.before(l.span) {
				most++
			}
		}
		if l.n < least || l.n > most {
			return fmt.Errorf("there were %d to %d keys, and Len returned %d", least, most, l.n)
		}
	}
	return nil
}

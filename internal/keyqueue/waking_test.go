package keyqueue

import (
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

// TestNoWakeUpIsLost adds a few keys and waits until they are worked on, many times. If a key is
// left while all workers sleep, everybody waits, and the bubble fails. Nothing else would wake them:
// there are no timers.
func TestNoWakeUpIsLost(t *testing.T) {
	seeds.Run(t, usualSeeds, func(t *testing.T, rng *rand.Rand) {
		synctest.Test(t, func(t *testing.T) {
			r := &rounds{q: New(Options[int]{Merge: Merge(rng.IntN(2)), Observer: []Observer{nil, newBooks(t)}[rng.IntN(2)]})}
			var workers sync.WaitGroup
			for range 1 + rng.IntN(6) {
				dice := rand.New(rand.NewPCG(rng.Uint64(), 0))
				workers.Go(func() { r.work(dice) })
			}
			producers := 1 + rng.IntN(4)
			for range 100 {
				var adding sync.WaitGroup
				for p := range producers {
					dice := rand.New(rand.NewPCG(rng.Uint64(), 0))
					adding.Go(func() { r.add(dice, 100*p) })
				}
				adding.Wait()
				r.left.Wait()
			}
			r.q.ShutDown()
			workers.Wait()
		})
	})
}

// rounds are keys that are added, and worked on before others are added.
type rounds struct {
	q    *Queue[int]
	left sync.WaitGroup // the keys that are not worked on yet
}

// add adds one to three keys, in one of several ways.
func (r *rounds) add(dice *rand.Rand, first int) {
	keys := []int{first, first + 1, first + 2}[:1+dice.IntN(3)]
	r.left.Add(len(keys))
	switch dice.IntN(3) {
	case 0:
		r.q.AddWithOptions(queue.AddOptions{Priority: dice.IntN(2)}, keys...)
	case 1:
		for _, key := range keys {
			r.q.Add(key)
		}
	default:
		for _, key := range keys {
			r.q.Replace(queue.AddOptions{}, key)
		}
	}
}

// work works on keys. At times it adds its key again, so that Done must wake somebody.
func (r *rounds) work(dice *rand.Rand) {
	for {
		key, ok := r.q.Get()
		if !ok {
			return
		}
		if dice.IntN(4) == 0 {
			r.left.Add(1)
			r.q.Add(key)
		}
		r.q.Done(key)
		r.left.Done()
	}
}

// Each key wakes one worker, also if the workers that were woken before did not run yet.
func TestOneWorkerIsWokenForAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(Options[string]{})
		var workers sync.WaitGroup
		for range 8 {
			workers.Go(worker(q, 0, func(string) {}))
		}
		synctest.Wait()
		q.lock()
		for i, key := range []string{"a", "b", "c"} {
			q.schedule.add(0, key, queue.AddOptions{})
			q.wakeLocked()
			if want := i + 1; q.woken != want || q.idle != 8-want {
				t.Errorf("for %d keys %d workers are woken, and %d sleep on", want, q.woken, q.idle)
			}
		}
		q.unlock()
		synctest.Wait()
		if q.woken != 0 || q.idle != 8 {
			t.Errorf("when all is done %d workers are woken and %d sleep", q.woken, q.idle)
		}
		q.ShutDown()
		workers.Wait()
		if q.woken != 0 || q.idle != 0 {
			t.Errorf("all workers are gone, yet %d are woken and %d sleep", q.woken, q.idle)
		}
	})
}

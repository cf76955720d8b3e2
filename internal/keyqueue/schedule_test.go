package keyqueue

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

func TestScheduleAgainstModel(t *testing.T) {
	for name, o := range map[string]Options[int]{
		"OnePerKey":   {Merge: OnePerKey, Ageing: queue.Ageing{Patience: 20, Every: 3}},
		"TimersApart": {Merge: TimersApart, Ageing: queue.Ageing{Patience: 20, Every: 3}},
		"no ageing":   {Ageing: queue.Ageing{Patience: -1, Every: 1}},
		"Order":       {Merge: TimersApart, Order: &fifo{}},
	} {
		t.Run(name, func(t *testing.T) {
			seeds.Run(t, usualSeeds, func(t *testing.T, rng *rand.Rand) {
				if o.Order != nil {
					o.Order = &fifo{}
				}
				run := &script{rng: rng, schedule: newSchedule(o), model: model{
					merge: o.Merge, ageing: ageingOf(o.Ageing), fifo: o.Order != nil,
				}}
				for range 400 {
					if diff := run.step(); diff != "" {
						t.Fatal(diff)
					}
				}
				if diff := run.drain(); diff != "" {
					t.Fatal(diff)
				}
			})
		})
	}
}

// fifo is the simplest Order.
type fifo struct{ keys []int }

func (f *fifo) Push(key int) { f.keys = append(f.keys, key) }
func (f *fifo) Touch(int)    {}
func (f *fifo) Len() int     { return len(f.keys) }
func (f *fifo) Pop() int {
	key := f.keys[0]
	f.keys = f.keys[1:]
	return key
}

// script does the same calls to the schedule and to the model, and compares them.
type script struct {
	rng      *rand.Rand
	now      time.Duration
	schedule schedule[int]
	model    model
	busy     []int
}

func (r *script) options() queue.AddOptions {
	w := queue.AddOptions{Priority: r.rng.IntN(5) - 2}
	if r.rng.IntN(2) == 0 {
		w.After = time.Duration(r.rng.IntN(30) - 3)
	}
	return w
}

// step does one random call and returns how the two differ.
func (r *script) step() string {
	r.model.now = r.now
	key := r.rng.IntN(40)
	switch what := r.rng.IntN(20); what {
	default:
		w := r.options()
		r.schedule.add(r.now, key, w)
		r.model.add(key, w)
	case 9:
		w := r.options()
		if got, want := r.schedule.replace(r.now, key, w), r.model.replace(key, w); got != want {
			return fmt.Sprintf("replace(%d) = %v, want %v", key, got, want)
		}
	case 10:
		if got, want := r.schedule.cancel(r.now, key), r.model.cancel(key); got != want {
			return fmt.Sprintf("cancel(%d) = %v, want %v", key, got, want)
		}
	case 11, 12, 13, 14, 15:
		return r.take()
	case 16, 17, 18:
		if len(r.busy) > 0 && r.rng.IntN(4) > 0 {
			key = r.busy[r.rng.IntN(len(r.busy))]
		}
		r.done(key) // mostly of a key that a worker has
	case 19:
		r.now += time.Duration(r.rng.IntN(15))
		r.model.now = r.now
	}
	return r.compare()
}

func (r *script) done(key int) {
	r.schedule.done(r.now, key)
	r.model.done(key)
	for i, k := range r.busy {
		if k == key {
			r.busy = append(r.busy[:i], r.busy[i+1:]...)
			break
		}
	}
}

func (r *script) take() string {
	want, wantOK := r.model.take()
	got, ok := r.schedule.take(r.now)
	if ok != wantOK {
		return fmt.Sprintf("take at %d: found %v, want %v", r.now, ok, wantOK)
	}
	if !ok {
		return ""
	}
	r.busy = append(r.busy, got.key)
	if got.key != want.key || got.priority != want.priority {
		return fmt.Sprintf("take at %d: key %d at priority %d, want %d at %d", r.now, got.key, got.priority, want.key, want.priority)
	}
	return r.compare()
}

func (r *script) compare() string {
	want := r.model.counts()
	got := r.schedule.summary(r.now)
	depth := maps.Clone(got.Depth)
	if r.model.fifo {
		total := 0
		for _, n := range want.depth {
			total += n
		}
		want.depth = map[int]int{0: total}
	}
	next, ok := r.schedule.next()
	first := r.rng.IntN(len(want.timers) + 1)
	timers := r.timers(first)
	switch {
	case !slices.Equal(timers, want.timers[:first]):
		return fmt.Sprintf("the first timers are those of %d, want %d", timers, want.timers[:first])
	case ok != (want.nextDue != never) || ok && next != want.nextDue:
		return fmt.Sprintf("next timer is at %d (%v), want %d", next, ok, want.nextDue)
	case !maps.Equal(depth, want.depth) || got.DepthBelow != 0:
		return fmt.Sprintf("depth %v and %d below, want %v", depth, got.DepthBelow, want.depth)
	case r.schedule.len() != want.len:
		return fmt.Sprintf("len %d, want %d", r.schedule.len(), want.len)
	case got.Waiting != want.waiting || got.Working != want.working:
		return fmt.Sprintf("%d waiting and %d working, want %d and %d", got.Waiting, got.Working, want.waiting, want.working)
	case got.Aged != r.model.aged:
		return fmt.Sprintf("%d went before keys of higher priority, want %d", got.Aged, r.model.aged)
	case got.Unfinished != want.unfinished || got.LongestWorking != want.longest:
		return fmt.Sprintf("unfinished %d, longest %d, want %d and %d", got.Unfinished, got.LongestWorking, want.unfinished, want.longest)
	}
	return ""
}

// timers returns the first keys of the schedule that have nothing but a timer.
func (r *script) timers(limit int) (keys []int) {
	for e := range r.schedule.timers.first {
		if len(keys) == limit {
			break
		}
		if !e.queued && e.working == 0 {
			keys = append(keys, e.key)
		}
	}
	return keys
}

// drain empties both, and checks that the schedule keeps no entry.
func (r *script) drain() string {
	r.now += time.Hour
	r.model.now = r.now
	for {
		busy := len(r.busy)
		if diff := r.take(); diff != "" {
			return diff
		}
		if len(r.busy) == busy && busy == 0 {
			break
		}
		if len(r.busy) == busy {
			r.done(r.busy[0])
		}
	}
	s := &r.schedule
	if s.table.n != 0 || s.queued != 0 || s.ready != 0 || len(s.timers.heap) != 0 {
		return fmt.Sprintf("an empty schedule keeps %d entries, %d queued, %d ready, %d timers", s.table.n, s.queued, s.ready, len(s.timers.heap))
	}
	return ""
}

// TestAgeingBound checks the documented bound in the worst case: a producer adds a key of a high
// priority for each key that is handed out.
func TestAgeingBound(t *testing.T) {
	seeds.Run(t, usualSeeds, func(t *testing.T, rng *rand.Rand) {
		ageing := queue.Ageing{Patience: time.Duration(rng.IntN(200)), Every: 1 + rng.IntN(6)}
		if ageing.Patience == 0 {
			ageing.Patience = 1
		}
		s := newSchedule(Options[int]{Ageing: ageing})
		behind := rng.IntN(20)
		now, next := time.Duration(0), 1
		for range behind {
			s.add(now, next, queue.AddOptions{Priority: rng.IntN(5)})
			next++
		}
		const starving = 0
		s.add(now, starving, queue.AddOptions{Priority: -100})
		taken := 0 // since patience ran out
		for {
			now++
			s.add(now, next, queue.AddOptions{Priority: 1 + rng.IntN(5)})
			next++
			e, _ := s.take(now)
			if now > ageing.Patience {
				taken++
			}
			if e.key == starving {
				if s.summary(now).Aged == 0 {
					t.Fatal("it went before keys of higher priority, and no turn was counted for that")
				}
				break
			}
			s.done(now, e.key)
			if taken > ageing.Every*(behind+1) {
				t.Fatalf("queued behind %d and still waiting after %d were handed out; %+v", behind, taken, ageing)
			}
		}
	})
}

func TestManyPriorities(t *testing.T) {
	s := newSchedule(Options[int]{})
	for i := range 1000 {
		s.add(0, i, queue.AddOptions{Priority: i})
	}
	if got := s.summary(0); len(got.Depth) != maxDepths || got.DepthBelow != 1000-maxDepths || got.Depth[999] != 1 {
		t.Errorf("depth of %d priorities and %d below, want %d and %d", len(got.Depth), got.DepthBelow, maxDepths, 1000-maxDepths)
	}
	for i := range 1000 {
		if e, _ := s.take(0); e.key != 999-i {
			t.Fatalf("take %d is key %d", i, e.key)
		}
	}
	if kept := len(s.lanes.sorted); kept > maxIdleLanes {
		t.Errorf("%d empty lanes are kept, want at most %d", kept, maxIdleLanes)
	}
}

func TestTimersFarAway(t *testing.T) {
	s := newSchedule(Options[int]{})
	s.add(time.Hour, 1, queue.AddOptions{After: 1<<63 - 1})
	if due, ok := s.next(); !ok || due != never {
		t.Errorf("the timer of an add for the end of time is due at %v", due)
	}
}

func TestOrderNeedsTimersApart(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an Order was accepted with a policy that keeps places in lanes")
		}
	}()
	New(Options[int]{Order: &fifo{}})
}

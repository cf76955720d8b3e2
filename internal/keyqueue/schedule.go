package keyqueue

import (
	"math"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

// schedule decides which key is handed out next, and when. It has no lock, no clock and no
// goroutine. Callers pass in the time since the queue began, and they wait. The same calls
// always have the same results.
//
// It has one entry per key. An entry has three independent parts: queued work, a timer that
// will queue it, and a worker that has it.
type schedule[K comparable] struct {
	merge  Merge
	ageing queue.Ageing
	order  Order[K] // nil: lanes

	table   table[K]
	lanes   lanes[K]
	timers  timers[K]
	working []*entry[K] // in any order. Invariant: working[i].working == i+1.
	free    *entry[K]   // entries to use again, linked by next
	nfree   int         // Invariant: the length of free, at most maxFree.

	now    time.Duration // the latest time of all calls. Invariant: it never goes back.
	queued int           // Invariant: the number of entries with queued work.
	ready  int           // Invariant: the number of those that may be handed out now.
	turns  int           // keys handed out since ageing last had its turn

	stats    queue.Stats // the totals alone
	observer Observer    // nil: none
}

// maxFree bounds the entries that are kept to use them again. A queue that becomes empty
// gives the memory of the others back.
const maxFree = 256

func newSchedule[K comparable](o Options[K]) schedule[K] {
	if o.Order != nil && o.Merge != TimersApart {
		panic("BUG: a queue with an order of its own needs the TimersApart policy")
	}
	return schedule[K]{
		merge:    o.Merge,
		ageing:   ageingOf(o.Ageing),
		order:    o.Order,
		table:    newTable[K](),
		observer: o.Observer,
	}
}

// add adds key with the options o.
func (s *schedule[K]) add(now time.Duration, key K, o queue.AddOptions) {
	s.tick(now)
	e := s.entry(key)
	if o.After <= 0 {
		if s.merge == OnePerKey && e.timer != 0 {
			o.Priority = max(o.Priority, e.timerPriority)
			s.timers.remove(e)
		}
		s.enqueue(e, o.Priority)
		return
	}
	s.delayed()
	if s.merge == OnePerKey && e.queued {
		s.enqueue(e, o.Priority) // the key is queued already, so at most its priority changes
		return
	}
	due := s.now + min(o.After, math.MaxInt64-s.now)
	if e.timer != 0 {
		due = min(due, e.due)
		o.Priority = max(o.Priority, e.timerPriority)
	}
	e.timerPriority = o.Priority
	s.timers.set(e, due)
}

// replace sets key's timer to what o says, which may be later or earlier than before. It
// reports whether there was a timer. Without one it adds.
func (s *schedule[K]) replace(now time.Duration, key K, o queue.AddOptions) bool {
	had := s.cancel(now, key)
	s.add(now, key, o)
	return had
}

// cancel stops key's timer, if it has one. Queued work stays queued.
func (s *schedule[K]) cancel(now time.Duration, key K) bool {
	s.tick(now)
	e := s.table.find(key, s.table.hash(key))
	if e == nil || e.timer == 0 {
		return false
	}
	s.timers.remove(e)
	s.release(e)
	return true
}

// promote queues the keys that are due.
func (s *schedule[K]) promote(now time.Duration) {
	s.tick(now)
	for {
		e, due, ok := s.timers.soonest()
		if !ok || due > s.now {
			return
		}
		s.timers.remove(e)
		s.enqueue(e, e.timerPriority)
	}
}

// take hands out the next key, if there is one.
func (s *schedule[K]) take(now time.Duration) (*entry[K], bool) {
	s.promote(now)
	if s.ready == 0 {
		return nil, false
	}
	e := s.pick()
	e.queued = false
	s.queued--
	s.ready--
	s.working = append(s.working, e)
	e.working = int32(len(s.working))
	e.started = s.now
	s.took(e)
	return e, true
}

// pick takes the entry whose turn it is out of its lane.
func (s *schedule[K]) pick() *entry[K] {
	if s.order != nil {
		key := s.order.Pop()
		e := s.table.find(key, s.table.hash(key))
		if e == nil || !e.inLane {
			panic("BUG: the queue's own order returned a key that was not pushed")
		}
		e.inLane = false
		return e
	}
	e := s.lanes.best()
	s.turns++
	if s.turns >= s.ageing.Every {
		s.turns = 0
		if s.ageing.Patience >= 0 && len(s.lanes.sorted) > 1 {
			if old := s.lanes.oldest(); s.now-old.since > s.ageing.Patience {
				if e != old {
					s.stats.Aged++
				}
				e = old
			}
		}
	}
	l := s.lanes.of(e.priority)
	l.remove(e)
	if l.n == 0 {
		s.lanes.emptied(l)
	}
	return e
}

// done takes key back from its worker. It ignores a key that no worker has.
func (s *schedule[K]) done(now time.Duration, key K) {
	s.tick(now)
	e := s.taken(key)
	if e == nil {
		return
	}
	last := s.working[len(s.working)-1]
	s.working[e.working-1] = last
	last.working = e.working
	s.working[len(s.working)-1] = nil
	s.working = s.working[:len(s.working)-1]
	e.working = 0
	s.finished(e)

	switch {
	case !e.queued:
		s.release(e)
	case e.inLane:
		s.lanes.of(e.priority).held--
		s.ready++
	default:
		s.place(e)
	}
}

// fewWorking is how many keys are compared in less time than one is hashed and looked up.
const fewWorking = 8

// taken returns the entry of a key that a worker has, or nil.
func (s *schedule[K]) taken(key K) *entry[K] {
	if len(s.working) <= fewWorking {
		for _, e := range s.working {
			if e.key == key {
				return e
			}
		}
		return nil
	}
	if e := s.table.find(key, s.table.hash(key)); e != nil && e.working != 0 {
		return e
	}
	return nil
}

// next returns the time at which the soonest timer is due.
func (s *schedule[K]) next() (due time.Duration, ok bool) {
	_, due, ok = s.timers.soonest()
	return due, ok
}

// dropTimers stops all timers.
func (s *schedule[K]) dropTimers() {
	for _, t := range s.timers.heap {
		t.entry.timer = 0
		s.release(t.entry)
	}
	s.timers.heap = nil
}

// len is the number of keys that wait to be handed out. OnePerKey counts a key that was
// queued while a worker has it, and TimersApart does not.
func (s *schedule[K]) len() int {
	if s.merge == OnePerKey {
		return s.queued
	}
	return s.ready
}

// tick keeps time from going back. Callers read the clock before they wait for the lock, so
// a later call may pass in an earlier time.
func (s *schedule[K]) tick(now time.Duration) { s.now = max(s.now, now) }

// enqueue queues e. If it is queued already, at most its priority rises.
func (s *schedule[K]) enqueue(e *entry[K], priority int) {
	if e.queued {
		s.again(e, priority)
		return
	}
	e.queued = true
	e.priority = priority
	e.since = s.now
	s.queued++
	s.added(e)
	if e.working == 0 || s.merge == OnePerKey {
		s.place(e)
	}
}

// again is enqueue for an entry that is queued. The entry moves to the end of its new lane if
// the priority is higher.
func (s *schedule[K]) again(e *entry[K], priority int) {
	if s.order != nil {
		if e.inLane {
			s.order.Touch(e.key)
		}
		return
	}
	if priority <= e.priority {
		return
	}
	s.raised(e, priority)
	if !e.inLane {
		e.priority = priority
		return
	}
	l := s.lanes.of(e.priority)
	l.remove(e)
	e.priority = priority
	s.lanes.of(priority).push(e)
	if l.n == 0 {
		s.lanes.emptied(l)
	}
}

// place puts e into its lane, where take finds it.
func (s *schedule[K]) place(e *entry[K]) {
	if s.order != nil {
		e.inLane = true
		s.order.Push(e.key)
	} else {
		s.lanes.of(e.priority).push(e)
	}
	if e.working == 0 {
		s.ready++
	}
}

// entry returns key's entry. It makes one if there is none.
func (s *schedule[K]) entry(key K) *entry[K] {
	hash := s.table.hash(key)
	if e := s.table.find(key, hash); e != nil {
		return e
	}
	e := s.free
	if e == nil {
		e = new(entry[K])
	} else {
		s.free, e.next = e.next, nil
		s.nfree--
	}
	e.key, e.hash = key, hash
	s.table.insert(e)
	return e
}

// release removes e if it is idle. It also clears it, because keys may be pointers.
func (s *schedule[K]) release(e *entry[K]) {
	if !e.idle() {
		return
	}
	lock.Invariant(!e.inLane, "an idle entry is still in a lane")
	s.table.remove(e)
	*e = entry[K]{}
	if s.nfree < maxFree {
		e.next, s.free = s.free, e
		s.nfree++
	}
}

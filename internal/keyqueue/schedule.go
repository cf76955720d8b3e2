package keyqueue

import (
	"math"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/invariant"
	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

// schedule decides which key is handed out next, and when. It has no lock, no
// clock and no goroutine: callers pass the time in, as the time since the queue
// began, and do the waiting. A script of calls always ends the same way.
//
// Per key it keeps one entry, and per entry three things that are independent of
// one another: queued work, a timer that will queue it, a worker that has it.
type schedule[K comparable] struct {
	merge  Merge
	ageing queue.Ageing
	order  Order[K] // nil: lanes

	table   table[K]
	lanes   lanes[K]
	timers  timers[K]
	working []*entry[K] // in no order; as many as there are busy workers
	free    *entry[K]   // entries to use again, at most maxFree
	nfree   int

	now    time.Duration // the latest that any call passed in: time does not go back
	queued int           // entries with queued work
	ready  int           // of these, those that may be handed out now
	turns  int           // handed out since ageing last had its turn

	stats  counters
	record bool    // whether events are kept
	events []Event // what happened since they were last collected
}

// maxFree bounds the entries kept for use again. A queue that is emptied gives
// the rest back.
const maxFree = 256

func newSchedule[K comparable](o Options[K]) schedule[K] {
	if o.Order != nil && o.Merge != TimersApart {
		panic("BUG: a queue with an order of its own needs the TimersApart policy")
	}
	return schedule[K]{
		merge:  o.Merge,
		ageing: ageingOf(o.Ageing),
		order:  o.Order,
		table:  newTable[K](),
		record: o.Observe != nil,
	}
}

// add asks for key to be worked on, as with says.
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
		s.enqueue(e, o.Priority) // it is due already; at most its priority changes
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

// replace makes key's timer exactly what with says, later or earlier than it
// was, and reports whether there was one. Without one it adds.
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

// promote queues what is due.
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

// pick unlinks the entry whose turn it is.
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
		if old := s.lanes.oldest(); s.ageing.Patience >= 0 && s.now-old.since > s.ageing.Patience {
			e = old
		}
	}
	l := s.lanes.of(e.priority)
	l.remove(e)
	if l.n == 0 {
		s.lanes.emptied(l)
	}
	return e
}

// done takes key back from its worker. Keys that nobody works on are ignored, as
// both models do.
func (s *schedule[K]) done(now time.Duration, key K) {
	s.tick(now)
	e := s.table.find(key, s.table.hash(key))
	if e == nil || e.working == 0 {
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

// next says when the soonest timer is due.
func (s *schedule[K]) next() (due time.Duration, ok bool) {
	_, due, ok = s.timers.soonest()
	return due, ok
}

// dropTimers forgets everything that is not due yet.
func (s *schedule[K]) dropTimers() {
	for _, t := range s.timers.heap {
		t.entry.timer = 0
		s.release(t.entry)
	}
	s.timers.heap = nil
}

// len is the number of keys that wait to be handed out. Of the two models one
// counts a key that was added while it is being worked on, the other does not.
func (s *schedule[K]) len() int {
	if s.merge == OnePerKey {
		return s.queued
	}
	return s.ready
}

// tick keeps time from going back: callers read the clock before they wait for
// the lock, so a later call may bring an earlier time.
func (s *schedule[K]) tick(now time.Duration) { s.now = max(s.now, now) }

// enqueue wants e worked on. If it is queued already, at most its priority rises.
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

// again is enqueue for what is queued: it moves to the end of the higher lane.
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

// place puts e where take finds it.
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

// entry finds key's entry, or makes one.
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

// release lets e go if nothing keeps it. What it pointed to must not outlive it:
// keys may be pointers.
func (s *schedule[K]) release(e *entry[K]) {
	if !e.idle() {
		return
	}
	invariant.Check(!e.inLane, "an idle entry is still in a lane")
	s.table.remove(e)
	*e = entry[K]{}
	if s.nfree < maxFree {
		e.next, s.free = s.free, e
		s.nfree++
	}
}

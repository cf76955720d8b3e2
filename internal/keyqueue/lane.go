package keyqueue

import (
	"slices"
	"time"
)

// lane is the queued work of one priority, oldest first.
type lane[K comparable] struct {
	priority   int
	head, tail *entry[K]
	n          int
	held       int // of n, those whose key is being worked on: they keep their place and are passed over
}

func (l *lane[K]) push(e *entry[K]) {
	e.prev, e.next = l.tail, nil
	if l.tail == nil {
		l.head = e
	} else {
		l.tail.next = e
	}
	l.tail = e
	e.inLane = true
	l.n++
	if e.working != 0 {
		l.held++
	}
}

func (l *lane[K]) remove(e *entry[K]) {
	if e.prev == nil {
		l.head = e.next
	} else {
		e.prev.next = e.next
	}
	if e.next == nil {
		l.tail = e.prev
	} else {
		e.next.prev = e.prev
	}
	e.prev, e.next = nil, nil
	e.inLane = false
	l.n--
	if e.working != 0 {
		l.held--
	}
}

// front returns the first entry that may be handed out. It passes at most as
// many held ones as there are keys being worked on.
func (l *lane[K]) front() *entry[K] {
	if l.n == l.held {
		return nil
	}
	e := l.head
	for e.working != 0 {
		e = e.next
	}
	return e
}

// lanes are the lanes in use, highest priority first, and a few that are empty:
// a queue that runs dry and fills up again all day should not make new ones.
type lanes[K comparable] struct {
	sorted []*lane[K]
}

// maxIdleLanes bounds the lanes that may be kept while empty.
const maxIdleLanes = 16

// of returns the lane of a priority, made if need be.
func (ls *lanes[K]) of(priority int) *lane[K] {
	// Most queues use one priority, or mostly one.
	if len(ls.sorted) > 0 && ls.sorted[0].priority == priority {
		return ls.sorted[0]
	}
	i, found := ls.search(priority)
	if !found {
		ls.sorted = slices.Insert(ls.sorted, i, &lane[K]{priority: priority})
	}
	return ls.sorted[i]
}

func (ls *lanes[K]) search(priority int) (int, bool) {
	return slices.BinarySearchFunc(ls.sorted, priority, func(l *lane[K], p int) int {
		switch {
		case l.priority > p:
			return -1
		case l.priority < p:
			return 1
		}
		return 0
	})
}

// emptied drops a lane that has run dry, if enough others are kept.
func (ls *lanes[K]) emptied(l *lane[K]) {
	if len(ls.sorted) <= maxIdleLanes {
		return
	}
	i, found := ls.search(l.priority)
	if found {
		ls.sorted = slices.Delete(ls.sorted, i, i+1)
	}
}

// best returns what goes next by priority alone.
func (ls *lanes[K]) best() *entry[K] {
	for _, l := range ls.sorted {
		if e := l.front(); e != nil {
			return e
		}
	}
	return nil
}

// oldest returns what has been queued longest among the fronts of the lanes.
// Where two are of one age the lower priority wins: the other's turn comes anyway.
func (ls *lanes[K]) oldest() *entry[K] {
	var oldest *entry[K]
	var since time.Duration
	for _, l := range ls.sorted {
		if e := l.front(); e != nil && (oldest == nil || e.since <= since) {
			oldest, since = e, e.since
		}
	}
	return oldest
}

package keyqueue

import (
	"cmp"
	"slices"
	"time"
)

// lane is the queued work of one priority, the oldest first.
type lane[K comparable] struct {
	priority   int
	head, tail *entry[K]
	n          int // Invariant: the number of entries between head and tail.
	held       int // Invariant: the number of those that a worker has. They keep their place, and front skips them.
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

// front returns the first entry that may be handed out. It skips the held ones, which are
// never more than there are workers.
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

// lanes are the lanes in use and a few empty ones. A queue that becomes empty and fills up
// again all day then needs no new ones.
type lanes[K comparable] struct {
	sorted []*lane[K] // Invariant: sorted by priority, the highest first, each once.
}

// maxIdleLanes bounds the lanes that stay although they are empty.
const maxIdleLanes = 16

// of returns the lane of a priority. It makes the lane if there is none.
func (ls *lanes[K]) of(priority int) *lane[K] {
	// Most queues use one priority most of the time.
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
	return slices.BinarySearchFunc(ls.sorted, priority, func(l *lane[K], p int) int { return cmp.Compare(p, l.priority) })
}

// emptied drops a lane that became empty, if enough others stay.
func (ls *lanes[K]) emptied(l *lane[K]) {
	if len(ls.sorted) <= maxIdleLanes {
		return
	}
	i, found := ls.search(l.priority)
	if found {
		ls.sorted = slices.Delete(ls.sorted, i, i+1)
	}
}

// best returns the entry that comes next by priority alone.
func (ls *lanes[K]) best() *entry[K] {
	for _, l := range ls.sorted {
		if e := l.front(); e != nil {
			return e
		}
	}
	return nil
}

// oldest returns the front of a lane that has been queued longest. If two have the same
// age, the lower priority wins: the other's turn comes anyway.
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

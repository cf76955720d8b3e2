package engine

import (
	"sync/atomic"
	"time"
)

// eventLog is what happened, in the order in which it became visible: a chain of nodes that is garbage behind the
// slowest reader, because only the readers' cursors point into it.
//
//	cursor of a slow subscriber      cursor of the others
//	        ▼                              ▼
//	    [batch 7] ──▶ [batch 8] ──▶ [  open end  ] ◀── end
//
// A node is the slice that the Controller handed over, so N subscribers cost one node.
type eventLog[T any] struct {
	end atomic.Pointer[node[T]] // the open end; moved by the one writer
}

// node is one batch. It is open while next is nil: then only first is set, and
// readers that got here wait. Setting next closes it for good.
type node[T any] struct {
	next   atomic.Pointer[node[T]]
	events []event[T] // set before next, read-only from then on
	at     time.Time  // when it was published, set before next
	first  uint64     // how many events were published before this node. Invariant: it never changes.
}

func newEventLog[T any]() *eventLog[T] {
	log := &eventLog[T]{}
	log.end.Store(&node[T]{})
	return log
}

// append closes the open end with events, which belong to the log from now on.
// It is the only write, and has one caller at a time.
func (log *eventLog[T]) append(events []event[T], now time.Time) {
	closing := log.end.Load()
	closing.events, closing.at = events, now
	open := &node[T]{first: closing.first + uint64(len(events))}
	closing.next.Store(open)
	log.end.Store(open)
}

// length is how many events have been appended so far, which is also the number
// that the next one gets.
func (log *eventLog[T]) length() uint64 { return log.end.Load().first }

// cursor is a place in the log: the node whose events its owner sees next.
type cursor[T any] struct{ node *node[T] }

// position is the number of the next event.
func (c *cursor[T]) position() uint64 { return c.node.first }

// peek returns the events of the node, and when they were published. It returns none at the end of the log.
func (c *cursor[T]) peek() ([]event[T], time.Time) {
	for {
		next := c.node.next.Load()
		if next == nil {
			return nil, time.Time{}
		}
		if len(c.node.events) > 0 {
			return c.node.events, c.node.at
		}
		c.node = next
	}
}

// take is peek, and leaves the events and their node behind, so that the cursor of a subscriber at rest keeps nothing alive.
func (c *cursor[T]) take() ([]event[T], time.Time) {
	events, at := c.peek()
	if len(events) > 0 {
		c.node = c.node.next.Load()
	}
	return events, at
}

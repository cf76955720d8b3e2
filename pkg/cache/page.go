package cache

import (
	"slices"
	"time"
)

// page is what one call of List shows.
type page struct {
	objs      []any
	token     string // to continue with; empty on the last page
	remaining *int64 // how many are left, if any
}

// heldList is what the first page of a list saw.
type heldList struct {
	id    uint64
	query queryID
	since time.Time
	// objs are all of them. Up to ordered they are in the order of their keys, and
	// what follows comes after them: most lists are never continued, and those that
	// are not need not be sorted.
	objs    []any
	ordered int

	continued bool
}

// cut returns the objects of a page and where the next one begins. A limit that is
// not positive takes everything that is left.
func (l *heldList) cut(from int, limit int64) (objs []any, end int) {
	end = len(l.objs)
	if limit > 0 && limit < int64(end-from) {
		end = from + int(limit)
	}
	if end > l.ordered {
		sortByKey(l.objs[l.ordered:])
		l.ordered = len(l.objs)
	}
	return l.objs[from:end], end
}

// heldLists are the lists that can be continued: only so many, of only so many
// objects together, each only for so long. It has no lock and no clock.
//
// When there are too many, those go first that were never continued, and of these
// the least recently used: there are callers who ask for one object to see whether
// there is any, and these must not push out those who read page after page.
type heldLists struct {
	limits holdLimits
	lists  []*heldList // the least recently used first
	last   uint64      // the id given out last
	size   int         // objects in all lists
}

// holdLimits bound what is held.
type holdLimits struct {
	lists   int
	objects int // a single list may have more
	keep    time.Duration
}

// defaultHoldLimits: an API server, too, forgets pages after five minutes.
var defaultHoldLimits = holdLimits{lists: 64, objects: 1 << 20, keep: 5 * time.Minute}

// add holds a list and gives it its id.
func (h *heldLists) add(now time.Time, l *heldList) {
	h.expire(now)
	h.last++
	l.id, l.since = h.last, now
	h.lists = append(h.lists, l)
	h.size += len(l.objs)
	for len(h.lists) > 1 && (len(h.lists) > h.limits.lists || h.size > h.limits.objects) {
		h.remove(h.leastWanted())
	}
}

// leastWanted is the place of the list that is dropped first. The newest stays.
func (h *heldLists) leastWanted() int {
	older := h.lists[:len(h.lists)-1]
	return max(0, slices.IndexFunc(older, func(l *heldList) bool { return !l.continued }))
}

func (h *heldLists) remove(at int) {
	h.size -= len(h.lists[at].objs)
	h.lists = slices.Delete(h.lists, at, at+1)
}

// use returns the list with an id, nil if it is no longer held.
func (h *heldLists) use(now time.Time, id uint64) *heldList {
	h.expire(now)
	at := slices.IndexFunc(h.lists, func(l *heldList) bool { return l.id == id })
	if at < 0 {
		return nil
	}
	l := h.lists[at]
	l.continued = true
	h.lists = append(slices.Delete(h.lists, at, at+1), l)
	return l
}

// expire forgets what is too old and returns how long until there is more to
// forget, 0 if nothing is left.
func (h *heldLists) expire(now time.Time) (wait time.Duration) {
	h.lists = slices.DeleteFunc(h.lists, func(l *heldList) bool {
		left := h.limits.keep - now.Sub(l.since)
		if left <= 0 {
			h.size -= len(l.objs)
			return true
		}
		if wait == 0 || left < wait {
			wait = left
		}
		return false
	})
	return wait
}

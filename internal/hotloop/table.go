package hotloop

import "time"

// table has the requests that were called last, in the order of their last calls.
type table[R comparable] struct {
	most      int
	byRequest map[R]*entry[R]
	ends      entry[R] // its next is the latest, its before the one to be dropped next
}

// entry is one request.
type entry[R comparable] struct {
	request      R
	next, before *entry[R]
	last         time.Time
	deltas       int    // since it was last called rarely
	trail        *trail // nil until it is called often
}

func newTable[R comparable](most int) table[R] {
	return table[R]{most: most, byRequest: map[R]*entry[R]{}}
}

// touch returns the entry of a request, and the one that had to go for it, if any.
func (t *table[R]) touch(r R) (e, evicted *entry[R]) {
	if t.ends.next == nil {
		t.ends.next, t.ends.before = &t.ends, &t.ends
	}
	e, ok := t.byRequest[r]
	switch {
	case ok && t.ends.next == e:
		return e, nil
	case ok:
		e.unlink()
	default:
		if len(t.byRequest) >= t.most {
			evicted = t.ends.before
			evicted.unlink()
			delete(t.byRequest, evicted.request)
		}
		e = &entry[R]{request: r}
		t.byRequest[r] = e
	}
	e.next, e.before = t.ends.next, &t.ends
	e.next.before, e.before.next = e, e
	return e, evicted
}

// idle removes the entry that was called least recently, if that was before a time.
func (t *table[R]) idle(before time.Time) *entry[R] {
	e := t.ends.before
	if e == nil || e == &t.ends || !e.last.Before(before) {
		return nil
	}
	e.unlink()
	delete(t.byRequest, e.request)
	return e
}

func (e *entry[R]) unlink() { e.next.before, e.before.next = e.before, e.next }

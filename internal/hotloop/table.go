package hotloop

import (
	"container/list"
	"time"
)

// table has the requests that were called last.
type table[R comparable] struct {
	most      int
	byRequest map[R]*entry[R]
	calls     *list.List // of *entry[R], in the order of their last calls, the latest first
}

// entry is one request.
type entry[R comparable] struct {
	request R
	at      *list.Element // in the table's calls
	last    time.Time
	deltas  int    // since it was last called rarely
	trail   *trail // nil until it is called often
}

func newTable[R comparable](most int) table[R] {
	return table[R]{most: most, byRequest: map[R]*entry[R]{}, calls: list.New()}
}

// touch returns the entry of a request, and the one that had to go for it, if any.
func (t *table[R]) touch(r R) (e, evicted *entry[R]) {
	if e, ok := t.byRequest[r]; ok {
		t.calls.MoveToFront(e.at)
		return e, nil
	}
	if len(t.byRequest) >= t.most {
		evicted = t.drop(t.calls.Back())
	}
	e = &entry[R]{request: r}
	e.at = t.calls.PushFront(e)
	t.byRequest[r] = e
	return e, evicted
}

// idle removes the entry that was called least recently, if that was before a time.
func (t *table[R]) idle(before time.Time) *entry[R] {
	at := t.calls.Back()
	if at == nil || !at.Value.(*entry[R]).last.Before(before) { //nolint:forcetypeassert // there is nothing else in it
		return nil
	}
	return t.drop(at)
}

func (t *table[R]) drop(at *list.Element) *entry[R] {
	e := t.calls.Remove(at).(*entry[R]) //nolint:forcetypeassert // as above
	delete(t.byRequest, e.request)
	return e
}

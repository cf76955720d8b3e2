package keyqueue

import (
	"container/heap"
	"slices"
	"time"
)

// timers is a heap of the entries that have a timer, the soonest first. If two are due at
// the same instant, the timer that was set first comes first. Its exported methods are those of
// [heap.Interface], for set and remove alone.
type timers[K comparable] struct {
	heap []timed[K] // Invariant: heap[i].entry.timer == i+1, and no child is before its parent.
	next uint64     // the next entry's seq
}

// timed repeats the entry's due. Comparisons then read the heap and not the entries.
type timed[K comparable] struct {
	due   time.Duration
	entry *entry[K]
}

func (a timed[K]) before(b timed[K]) bool {
	return a.due < b.due || a.due == b.due && a.entry.seq < b.entry.seq
}

// Len is the number of timers.
func (t *timers[K]) Len() int { return len(t.heap) }

// Less compares two nodes.
func (t *timers[K]) Less(i, j int) bool { return t.heap[i].before(t.heap[j]) }

// Swap exchanges two nodes.
func (t *timers[K]) Swap(i, j int) {
	a, b := t.heap[i], t.heap[j]
	t.heap[i], t.heap[j] = b, a
	a.entry.timer, b.entry.timer = int32(j)+1, int32(i)+1
}

// Push appends an *entry[K].
func (t *timers[K]) Push(e any) {
	added := e.(*entry[K]) //nolint:forcetypeassert // set pushes nothing else
	t.heap = append(t.heap, timed[K]{due: added.due, entry: added})
	added.timer = int32(len(t.heap))
}

// Pop takes off the last node.
func (t *timers[K]) Pop() any {
	last := len(t.heap) - 1
	e := t.heap[last].entry
	t.heap[last] = timed[K]{}
	t.heap = t.heap[:last]
	e.timer = 0
	return e
}

// soonest returns the entry that is due first.
func (t *timers[K]) soonest() (e *entry[K], due time.Duration, ok bool) {
	if len(t.heap) == 0 {
		return nil, 0, false
	}
	return t.heap[0].entry, t.heap[0].due, true
}

// set starts e's timer, or changes its time.
func (t *timers[K]) set(e *entry[K], due time.Duration) {
	e.due = due
	if e.timer != 0 {
		t.heap[e.timer-1].due = due
		heap.Fix(t, int(e.timer)-1)
		return
	}
	e.seq = t.next
	t.next++
	heap.Push(t, e)
}

// remove stops e's timer, which must be running.
func (t *timers[K]) remove(e *entry[K]) {
	heap.Remove(t, int(e.timer)-1)
	// After a burst of a million timers the heap gives their memory back.
	if cap(t.heap) > 1024 && len(t.heap) < cap(t.heap)/4 {
		t.heap = append(make([]timed[K], 0, cap(t.heap)/2), t.heap...)
	}
}

// first visits the entries in order, the soonest first, until yield returns false. Its cost
// depends on how many it visits, and not on how many timers there are.
func (t *timers[K]) first(yield func(*entry[K]) bool) {
	// The front has the nodes whose parent was visited, the latest first. The next one to
	// visit is at its end.
	front := slices.Clone(t.heap[:min(1, len(t.heap))])
	for len(front) > 0 {
		node := front[len(front)-1]
		front = front[:len(front)-1]
		if !yield(node.entry) {
			return
		}
		child := 2*int(node.entry.timer) - 1
		for _, c := range t.heap[min(child, len(t.heap)):min(child+2, len(t.heap))] {
			at, _ := slices.BinarySearchFunc(front, c, func(a, b timed[K]) int {
				if b.before(a) {
					return -1
				}
				return 1
			})
			front = slices.Insert(front, at, c)
		}
	}
}

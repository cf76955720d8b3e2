package keyqueue

import (
	"slices"
	"time"
)

// timers is a heap of the entries that have a timer, the soonest first. If two are due at
// the same instant, the timer that was set first comes first.
type timers[K comparable] struct {
	heap []timed[K] // Invariant: heap[i].entry.timer == i+1, and no child is before its parent.
	next uint64     // the next entry's seq
}

// timed repeats the entry's due. Comparisons then read the heap and not the entries.
type timed[K comparable] struct {
	due   time.Duration
	entry *entry[K]
}

// arity is the number of children of a node. With four the heap is half as deep as with
// two, and the children of a node share a cache line.
const arity = 4

func (t *timers[K]) before(a, b timed[K]) bool {
	return a.due < b.due || a.due == b.due && a.entry.seq < b.entry.seq
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
		i := int(e.timer) - 1
		t.heap[i].due = due
		t.fix(i)
		return
	}
	e.seq = t.next
	t.next++
	t.heap = append(t.heap, timed[K]{due: due, entry: e})
	t.up(len(t.heap) - 1)
}

// remove stops e's timer, which must be running.
func (t *timers[K]) remove(e *entry[K]) {
	i, last := int(e.timer)-1, len(t.heap)-1
	e.timer = 0
	moved := t.heap[last]
	t.heap[last] = timed[K]{}
	t.heap = t.heap[:last]
	if i != last {
		t.heap[i] = moved
		t.fix(i)
	}
	// After a burst of a million timers the heap gives their memory back.
	if cap(t.heap) > 1024 && len(t.heap) < cap(t.heap)/4 {
		t.heap = append(make([]timed[K], 0, cap(t.heap)/2), t.heap...)
	}
}

func (t *timers[K]) fix(i int) {
	if !t.up(i) {
		t.down(i)
	}
}

// up moves the node at i towards the root, and reports whether it moved.
func (t *timers[K]) up(i int) bool {
	start, node := i, t.heap[i]
	for i > 0 {
		parent := (i - 1) / arity
		if !t.before(node, t.heap[parent]) {
			break
		}
		t.put(i, t.heap[parent])
		i = parent
	}
	t.put(i, node)
	return i != start
}

func (t *timers[K]) down(i int) {
	node := t.heap[i]
	for {
		first := i*arity + 1
		if first >= len(t.heap) {
			break
		}
		least := first
		for child := first + 1; child < min(first+arity, len(t.heap)); child++ {
			if t.before(t.heap[child], t.heap[least]) {
				least = child
			}
		}
		if !t.before(t.heap[least], node) {
			break
		}
		t.put(i, t.heap[least])
		i = least
	}
	t.put(i, node)
}

func (t *timers[K]) put(i int, node timed[K]) {
	t.heap[i] = node
	node.entry.timer = int32(i) + 1
}

// first visits the entries in order, the soonest first, until yield returns false. Its cost
// depends on how many it visits, and not on how many timers there are.
func (t *timers[K]) first(yield func(*entry[K]) bool) {
	if len(t.heap) == 0 {
		return
	}
	// The front has the nodes whose parent was visited, the latest first. The next one to
	// visit is at its end.
	front := []timed[K]{t.heap[0]}
	for len(front) > 0 {
		node := front[len(front)-1]
		front = front[:len(front)-1]
		if !yield(node.entry) {
			return
		}
		child := (int(node.entry.timer)-1)*arity + 1
		for _, c := range t.heap[min(child, len(t.heap)):min(child+arity, len(t.heap))] {
			at, _ := slices.BinarySearchFunc(front, c, func(a, b timed[K]) int {
				if t.before(b, a) {
					return -1
				}
				return 1
			})
			front = slices.Insert(front, at, c)
		}
	}
}

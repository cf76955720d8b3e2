//go:build invariants && !race && (amd64 || arm64)

package lock

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// checked says whether the order of locks is checked.
const checked = true

// Mutex is a [sync.Mutex] of rank R, which is one of the types in order.go. Lock panics if
// it breaks the order.
type Mutex[R any] struct {
	mu   sync.Mutex
	note note // who holds mu; guarded by mu
}

// Lock is that of [sync.Mutex].
func (m *Mutex[R]) Lock() {
	wanted, me := rankOf[R](), self()
	if wrong := wrongFor(wanted, heldBy(me)); wrong != "" {
		panic("BUG: lock " + names[wanted] + ": the goroutine holds " + wrong)
	}
	m.mu.Lock()
	m.hold(me, wanted)
}

// TryLock is that of [sync.Mutex].
func (m *Mutex[R]) TryLock() bool {
	if !m.mu.TryLock() {
		return false
	}
	m.hold(self(), rankOf[R]())
	return true
}

func (m *Mutex[R]) hold(me uint64, of rank) {
	m.note = note{me, of}
	m.note.add()
}

// Unlock is that of [sync.Mutex]. Any goroutine may call it.
func (m *Mutex[R]) Unlock() {
	if m.note != (note{}) { // otherwise m is not locked, and sync.Mutex says so
		m.note.remove()
		m.note = note{}
	}
	m.mu.Unlock()
}

// nested is the rank with locks that one goroutine may hold together. The user's function that is
// called under one of them may come to another, and only the user knows the order of these.
var nested = reflect.TypeFor[Popping]().Name()

// rank counts the ranks of the order, from 1.
type rank uint8

var (
	ranks = map[reflect.Type]rank{}
	names = []string{""} // by rank
	lines = []int{0}     // by rank
)

func init() {
	for line, level := range order {
		for _, marker := range level {
			of := reflect.TypeOf(marker)
			ranks[of] = rank(len(names))
			names, lines = append(names, of.Name()), append(lines, line)
		}
	}
}

func rankOf[R any]() rank {
	of := reflect.TypeFor[R]()
	found, ok := ranks[of]
	if !ok {
		panic(fmt.Sprintf("BUG: lock %s: it is not in the order", of))
	}
	return found
}

// wrongFor says what is wrong if somebody who holds these ranks wants another one. It is
// empty if nothing is.
func wrongFor(wanted rank, holds []rank) string {
	var wrong []string
	for _, other := range holds {
		a, b := names[wanted], names[other]
		switch {
		case lines[other] < lines[wanted]:
		case wanted == other && a == nested:
		case lines[other] > lines[wanted]:
			wrong = append(wrong, fmt.Sprintf("%s, but the order is %s > %s", b, a, b))
		case a == b:
			wrong = append(wrong, fmt.Sprintf("%s, but no two %s are held together", b, a))
		default:
			wrong = append(wrong, fmt.Sprintf("%s, but %s and %s are never held together", b, a, b))
		}
	}
	return strings.Join(wrong, "; it holds ")
}

package reflector

import (
	"errors"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
)

// errRelist ends a watch because somebody wants a new list. It is not a failure.
var errRelist = errors.New("a new list is wanted")

// relists is who wants a new list, and how far it is. Each who asks gets a number; a list is for all who asked before
// it began. Only a watch is cut for it: a list that is under way may be older than the question, and what waits after
// a failure waits on.
//
//	ask ──asked──▶ the watch is cut ──▶ start ──begun──▶ stream or list ──served──▶ those who wait
type relists struct {
	mu     lock.Mutex[lock.Relists] // guards everything below
	asked  uint64                   // the last who asked
	begun  uint64                   // the last whose list has begun
	served uint64                   // the last whose list has been handed on
	more   chan struct{}            // closed and replaced when served grows
	cut    func()                   // ends the watch; nil where there is none
}

// RequestList wants a list that begins after now, and returns a number for Listed. Calls that come before the list
// begins share it.
func (l *relists) RequestList() (number uint64) {
	l.mu.Lock()
	l.asked++
	number, cut := l.asked, l.cut
	l.mu.Unlock()
	if cut != nil {
		cut()
	}
	return number
}

// Listed returns nil if the list for that number has been handed on, or else a
// channel that is closed when it is worth asking again.
func (l *relists) Listed(number uint64) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.served >= number {
		return nil
	}
	if l.more == nil {
		l.more = make(chan struct{})
	}
	return l.more
}

// during has cut called when a list is wanted, at once if one is already, until the
// function that it returns is called.
func (l *relists) during(cut func()) (over func()) {
	l.mu.Lock()
	l.cut = cut
	l.mu.Unlock()
	if l.wanted() {
		cut()
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.cut = nil
	}
}

// wanted reports whether anybody wants a list that has not begun.
func (l *relists) wanted() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked != l.begun
}

// begin notes that a list begins, and reports whether somebody waits for it.
func (l *relists) begin() (wanted bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	wanted = l.served != l.asked // also if an earlier list has begun for them, and failed
	l.begun = l.asked
	return wanted
}

// serve notes that the list which was begun has been handed on.
func (l *relists) serve() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.served == l.begun {
		return
	}
	l.served = l.begun
	if l.more != nil {
		close(l.more)
		l.more = nil
	}
}

// beginList is called when a whole list is about to be asked for. If somebody wants it, or the server has another
// history, our position can't be used.
func (r *Reflector[T]) beginList() {
	wanted := r.relists.begin()
	r.reason = r.reasonToList(wanted)
	if wanted || r.doubts.behind {
		r.at.gone = true
	}
}

package reflector

import (
	"errors"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
)

// errRelist ends a watch because somebody wants a new list. It is not a failure.
var errRelist = errors.New("a new list is wanted")

// relists is who wants a new list. A list is for all who asked before it began. Only a watch is cut for it: a list
// that is under way may be older than the question, and what waits after a failure waits on.
//
//	next ──▶ the watch is cut ──▶ start ──begin──▶ begun ──▶ stream or list ──serve──▶ those who wait
type relists struct {
	mu    lock.Mutex[lock.Relists] // guards everything below
	next  chan struct{}            // for those who asked since the last list began; nil where nobody has
	begun []chan struct{}          // for those whose list has begun, and was not handed on yet
	cut   func()                   // ends the watch; nil where there is none
}

// RequestList wants a list that begins after now, and returns a channel that is closed when it has been handed on.
// Calls that come before the list begins share it.
func (l *relists) RequestList() (served <-chan struct{}) {
	l.mu.Lock()
	if l.next == nil {
		l.next = make(chan struct{})
	}
	served, cut := l.next, l.cut
	l.mu.Unlock()
	if cut != nil {
		cut()
	}
	return served
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
	return l.next != nil
}

// begin notes that a list begins, and reports whether somebody waits for it.
func (l *relists) begin() (wanted bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next != nil {
		l.begun = append(l.begun, l.next)
		l.next = nil
	}
	return len(l.begun) > 0 // also if an earlier list has begun for them, and failed
}

// serve notes that the list which was begun has been handed on.
func (l *relists) serve() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, served := range l.begun {
		close(served)
	}
	l.begun = nil
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

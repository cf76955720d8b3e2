//go:build !race

package builder_test

import "iter"

// thread is one of those who act on their own. It runs until it pauses, and goes on when it
// is told to, so that a test decides about the order of everything.
type thread struct {
	at    string     // where it has paused
	about *happening // the event that it adds a request for; nil: none
	over  bool       // nobody will decide any more: it runs to its end

	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
}

// idle is where a thread pauses that has nothing under way.
const idle = "idle"

// newThread has body called again and again. It does not begin yet.
func newThread(body func()) *thread {
	t := &thread{at: idle}
	t.next, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		for !t.over {
			body()
			t.pause(idle)
		}
	})
	return t
}

// pause waits until the thread is told to go on.
func (t *thread) pause(at string) {
	if t.over {
		return
	}
	t.at = at
	t.over = !t.yield(struct{}{})
}

// end has the thread run to its end.
func (t *thread) end() {
	if t.yield == nil { // it has not begun
		t.over = true
	}
	t.stop()
}

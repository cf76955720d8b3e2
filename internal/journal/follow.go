package journal

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/delta-runtime/delta-runtime/internal/lock"
)

// ErrClosed says that a Follower was closed.
var ErrClosed = errors.New("the follower is closed")

// buffered is how many entries wait for a follower. It loses the oldest if there are more.
const buffered = 256

// Follower is shown each entry that is noted from now on.
type Follower[E any] struct {
	wants func(*E) bool
	of    *followers[E]
	ready chan struct{} // cap 1; holds a token while there is something to take

	mu      lock.Mutex[lock.Follower] // guards everything below
	waiting ring[E]
	lost    uint64 // since the last one was taken
	closed  bool
}

// followers are those of deltas, or those of calls. The list is copied when it changes. Nobody needs a
// lock to look at it.
type followers[E any] struct {
	journal *Journal
	list    atomic.Pointer[[]*Follower[E]] // written under journal.mu; nil: there is none
}

// Follow shows the deltas that the filter wants. Close has to follow. The limit counts for nothing.
func (j *Journal) Follow(want Filter) *Follower[Entry] { return j.deltaFollowers.add(want.wants) }

// FollowCalls shows the calls that the filter wants. Close has to follow. The limit counts for
// nothing.
func (j *Journal) FollowCalls(want CallFilter) *Follower[Call] {
	return j.callFollowers.add(want.wants)
}

func (l *followers[E]) now() []*Follower[E] {
	if all := l.list.Load(); all != nil {
		return *all
	}
	return nil
}

func (l *followers[E]) add(wants func(*E) bool) *Follower[E] {
	f := &Follower[E]{wants: wants, of: l, ready: make(chan struct{}, 1), waiting: ring[E]{most: buffered}}
	l.journal.mu.Lock()
	defer l.journal.mu.Unlock()
	all := append(slices.Clone(l.now()), f)
	l.list.Store(&all)
	return f
}

func (l *followers[E]) remove(f *Follower[E]) {
	l.journal.mu.Lock()
	defer l.journal.mu.Unlock()
	all := slices.DeleteFunc(slices.Clone(l.now()), func(other *Follower[E]) bool { return other == f })
	if len(all) == 0 {
		l.list.Store(nil)
		return
	}
	l.list.Store(&all)
}

// offer shows an entry to the follower, if it wants it.
func (f *Follower[E]) offer(e *E) {
	if !f.wants(e) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	place, gone := f.waiting.add()
	*place = *e
	if gone {
		f.lost++
	}
	f.ring()
}

func (f *Follower[E]) ring() {
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

// Next waits for the next entry, and says how many were lost before it because nobody took them.
// The error is that of ctx, or ErrClosed. One goroutine at a time may call it.
func (f *Follower[E]) Next(ctx context.Context) (e E, lost uint64, err error) {
	for {
		e, lost, ok, err := f.take()
		if ok || err != nil {
			return e, lost, err
		}
		select {
		case <-ctx.Done():
			return e, 0, ctx.Err()
		case <-f.ready:
		}
	}
}

// Ready has a token while Take may return something. It is for those who wait for other things
// as well.
func (f *Follower[E]) Ready() <-chan struct{} { return f.ready }

// Take is Next for those who do not wait. It reports false if there is nothing to take.
func (f *Follower[E]) Take() (e E, lost uint64, ok bool) {
	e, lost, ok, _ = f.take()
	return e, lost, ok
}

func (f *Follower[E]) take() (e E, lost uint64, ok bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.closed:
		return e, 0, false, ErrClosed
	case f.waiting.count == 0:
		return e, 0, false, nil
	}
	e, lost = *f.waiting.at(0), f.lost
	f.waiting.drop()
	f.lost = 0
	return e, lost, true, nil
}

// Close ends the following, also for one who waits in Next.
func (f *Follower[E]) Close() {
	f.of.remove(f)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed, f.waiting = true, ring[E]{}
	f.ring()
}

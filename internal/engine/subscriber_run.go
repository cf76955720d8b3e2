package engine

import (
	"context"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/engine/timetable"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// run tells the subscriber what there is to tell until it has left or ctx ends;
// what is pending then is dropped. A panic of the handler is not caught here. A
// handler that does not return keeps this goroutine, and nothing else.
func (l *subscriber[T]) run(ctx context.Context) {
	s, ok := l.start()
	if !ok {
		return
	}
	defer l.finish()
	defer context.AfterFunc(ctx, l.quit)()
	if s != nil {
		l.tellSnapshot(s)
	}
	for {
		events, ok := l.take()
		if !ok {
			return
		}
		l.tellEvents(events)
	}
}

// start takes the snapshot, which is from then on run's to release.
func (l *subscriber[T]) start() (inventory[T], bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stage != joined {
		return nil, false
	}
	s := l.initial
	l.stage, l.initial = telling, nil
	if s != nil {
		l.taken = span{end: uint64(s.Len()), at: time.Now(), first: true}
		l.busy.Store(true)
	}
	return s, true
}

// finish is deferred, so that a handler that panicked is done, too.
func (l *subscriber[T]) finish() {
	l.quit()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stage = ended
	close(l.done)
}

// tellSnapshot tells the objects that were there before the subscriber came.
func (l *subscriber[T]) tellSnapshot(s inventory[T]) {
	defer s.Release()
	now := time.Now()
	tell := func(d delta.Delta[T]) bool {
		if l.gone.Load() {
			return false
		}
		l.calls.Add(1)
		d.Seen = now
		l.tell(&d)
		return true
	}
	if compared, ok := s.(*comparison[T]); ok {
		compared.each(tell)
		return
	}
	for key, object := range s.All() {
		if !tell(delta.Delta[T]{Key: key, Op: delta.Added, Initial: true, New: object, Version: l.of.traits.Version(object)}) {
			return
		}
	}
}

// tellEvents tells what take has taken.
func (l *subscriber[T]) tellEvents(events []event[T]) {
	for i := range events {
		if l.gone.Load() {
			return
		}
		l.calls.Add(1)
		if e := &events[i]; e.to.Has(l.number) {
			l.tell(&e.Delta)
		}
	}
}

// take returns the next events in order, waiting for them if need be. It reports
// false once the subscriber has left.
func (l *subscriber[T]) take() ([]event[T], bool) {
	for !l.gone.Load() {
		l.busy.Store(false)
		if l.awaited.Load() && l.caughtUp() {
			l.of.calmed()
		}
		if l.hasNews() {
			if events := l.tryTake(); events != nil {
				return events, true
			}
		}
		l.bell.sleepUnless(l.hasNews)
	}
	return nil, false
}

// hasNews reports whether there is a reason to take. It needs no lock: run alone moves the place and isSynced.
func (l *subscriber[T]) hasNews() bool {
	at := l.position.Load()
	return l.of.log.length() > at || l.gone.Load() || !l.isSynced && at >= l.syncAt.Load()
}

// caughtUp ends the wait for this subscriber, if it is time to.
func (l *subscriber[T]) caughtUp() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.gone.Load() && l.untakenLocked() <= timetable.Chunk && l.awaited.CompareAndSwap(true, false)
}

// tryTake returns what is next without waiting, nil if nothing is. Everything
// taken before has been told when it is called.
func (l *subscriber[T]) tryTake() []event[T] {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gone.Load() {
		return nil
	}
	events, at := l.place.take()
	if !l.isSynced && l.position.Load() >= l.syncAt.Load() { // nothing before it is left to tell
		l.isSynced = true
		close(l.synced)
	}
	if len(events) == 0 {
		return nil
	}
	l.position.Store(l.place.position())
	l.busy.Store(true)
	l.taken = span{end: l.calls.Load() + uint64(len(events)), at: at}
	return events
}

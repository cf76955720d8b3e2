package engine

import (
	"iter"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/internal/engine/timetable"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// processor tells subscribers what happened. It keeps one log for all of them, in which each has a cursor, so a slow
// subscriber costs what the log keeps for it.
type processor[T any] struct {
	traits *store.Traits[T]
	log    *eventLog[T]
	logger logr.Logger
	calmed func() // called when a subscriber that lagOrAwait found behind has caught up

	numbers     atomic.Uint32                    // subscribers ever made
	subscribers atomic.Pointer[[]*subscriber[T]] // replaced under mu, never changed in place

	mu     lock.Mutex[lock.Processor] // guards synced, and writes to subscribers
	synced bool
}

// inventory is what a late subscriber is told first. The Indexer's views are such.
type inventory[T any] interface {
	All() iter.Seq2[delta.Key, T]
	Len() int
	Release()
}

func newProcessor[T any](traits *store.Traits[T], logger logr.Logger) *processor[T] {
	p := &processor[T]{traits: traits, log: newEventLog[T](), logger: logger, calmed: func() {}}
	p.subscribers.Store(new([]*subscriber[T]))
	return p
}

// newSubscriber makes a subscriber that hears nothing until it has joined. tell is
// called for one delta at a time, which it may neither change nor keep a pointer
// to: copy what outlives the call.
func (p *processor[T]) newSubscriber(opts informer.SubscribeOptions, tell func(*delta.Delta[T])) *subscriber[T] {
	l := &subscriber[T]{
		of:     p,
		number: p.numbers.Add(1),
		opts:   withDefaults(opts),
		tell:   tell,
		synced: make(chan struct{}),
		done:   make(chan struct{}),
		bell:   newBell(),
	}
	l.syncAt.Store(never)
	return l
}

// join makes l hear everything that is published from now on, after the objects of s, which it releases; s may be
// nil. The caller is the Controller, between two batches. It reports false for a subscriber that has left already;
// otherwise the caller starts [subscriber.run].
func (p *processor[T]) join(l *subscriber[T], s inventory[T]) bool {
	at := cursor[T]{node: p.log.end.Load()}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.synced {
		l.syncAt.Store(p.log.length())
	}
	if !l.join(at, s) {
		if s != nil {
			s.Release()
		}
		return false
	}
	subscribers := append(slices.Clone(*p.subscribers.Load()), l)
	p.subscribers.Store(&subscribers)
	return true
}

// leave makes l hear nothing more, not even what is pending; a call of its handler that is under way is waited for
// with Done. It may be called from that very handler, before join, and more than once.
func (p *processor[T]) leave(l *subscriber[T]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.quit()
	subscribers := slices.DeleteFunc(slices.Clone(*p.subscribers.Load()), func(other *subscriber[T]) bool {
		return other == l
	})
	p.subscribers.Store(&subscribers)
}

// publish tells every subscriber of batch, which belongs to the log from now on. It has one
// caller, the Controller, and never waits for a subscriber.
func (p *processor[T]) publish(now time.Time, batch []event[T]) {
	if len(batch) == 0 {
		return
	}
	p.log.append(batch, now)
	for _, l := range *p.subscribers.Load() {
		l.bell.ring()
	}
}

// markSynced says that the first list is wholly in the log. Each subscriber is
// synced once it has been told what is there now.
func (p *processor[T]) markSynced() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.synced = true
	for _, l := range *p.subscribers.Load() {
		l.syncAt.Store(p.log.length())
		l.bell.ring()
	}
}

// lagOrAwait is how many events the subscriber of that number has yet to be told.
// If they are more than [timetable.Chunk], calmed is called when they no longer are.
func (p *processor[T]) lagOrAwait(number uint32) uint64 {
	all := *p.subscribers.Load()
	at := slices.IndexFunc(all, func(l *subscriber[T]) bool { return l.number == number })
	if at < 0 { // it has left
		return 0
	}
	l := all[at]
	lag := l.lag()
	if lag > timetable.Chunk {
		l.awaited.Store(true)
		lag = l.lag() // it may have caught up without having seen that it is awaited
	}
	return lag
}

// status tells how every subscriber is doing.
func (p *processor[T]) status(now time.Time) []informer.SubscriberStatus {
	subscribers := *p.subscribers.Load()
	all := make([]informer.SubscriberStatus, 0, len(subscribers))
	for _, l := range subscribers {
		all = append(all, l.status(now))
	}
	return all
}

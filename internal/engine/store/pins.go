package store

import (
	"sync/atomic"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
)

// state is what one commit made of the store. Readers load it once, and by it
// they see everything up to that commit and nothing after.
type state struct {
	seq     uint64 // counts commits
	version string // resource version
	count   int    // objects
}

// pin keeps what is visible at one state from being thrown away. Views of the
// same state share it.
type pin[T any] struct {
	at   *state
	refs int // guarded by pins.mu

	// kept are superseded versions that no newer pin needs. When this one goes,
	// they pass to the next older pin that needs them, or go too: nothing
	// outlives its last reader. Guarded by Store.write.
	kept []superseded[T]
}

// superseded is a version that is no longer its entry's newest; old is nil if
// there was none before.
type superseded[T any] struct {
	entry *entry[T]
	old   *version[T]
}

// pins are the states that somebody looks at, oldest first. The newest may be
// there without anybody looking, because the next reader is likely to want it.
type pins[T any] struct {
	// some says that list may not be empty, and spares most commits the mutex. It
	// changes with mu held. Invariant: if it is false, list is empty.
	some atomic.Bool

	mu   lock.Mutex[lock.Pins]
	list []*pin[T] // guarded by mu. Invariant: in the order of their states.
}

// pin holds on to the newest committed state.
func (s *Store[T]) pin() *pin[T] {
	s.pins.mu.Lock()
	defer s.pins.mu.Unlock()
	// Announced first and loaded afterwards, with the mutex held: a commit publishes
	// first and looks for pins afterwards, so either it sees this pin or this pin
	// sees the commit.
	s.pins.some.Store(true)
	now := s.state.Load()
	if n := len(s.pins.list); n > 0 && s.pins.list[n-1].at == now {
		p := s.pins.list[n-1]
		p.refs++
		return p
	}
	p := &pin[T]{at: now, refs: 1}
	s.pins.list = append(s.pins.list, p)
	return p
}

// unpin lets go of p. Versions that only p needed are thrown away now if the store is at
// rest, and otherwise by the commit under way; the caller does not wait for it.
func (s *Store[T]) unpin(p *pin[T]) {
	s.pins.mu.Lock()
	p.refs--
	superseded := p.refs == 0 && p.at != s.state.Load()
	s.pins.mu.Unlock()
	if superseded {
		s.untidy.Store(true)
		s.tidy()
	}
}

// tidy does the work that readers left, unless somebody else holds the right to
// write: that one looks again after giving it up, so the work is not forgotten.
func (s *Store[T]) tidy() {
	for s.untidy.Load() && s.write.TryLock() {
		s.tidyLocked()
		s.write.Unlock()
	}
}

func (s *Store[T]) tidyLocked() {
	s.untidy.Store(false)
	s.dropPinsLocked()
	s.grantWishesLocked()
}

// dropPinsLocked takes out the pins that nobody holds and throws away what only
// they kept. It returns the newest pin that is older than the newest state.
func (s *Store[T]) dropPinsLocked() *pin[T] {
	if !s.pins.some.Load() {
		return nil
	}
	type heir struct{ of, to *pin[T] }
	var orphaned []heir
	var newest *pin[T]

	s.pins.mu.Lock()
	now := s.state.Load()
	held := s.pins.list[:0]
	for _, p := range s.pins.list {
		switch {
		case p.refs > 0 || p.at == now:
			held = append(held, p)
			if p.at != now {
				newest = p
			}
		case len(p.kept) > 0:
			orphaned = append(orphaned, heir{of: p, to: newest})
		}
	}
	clear(s.pins.list[len(held):])
	s.pins.list = held
	s.pins.some.Store(len(held) > 0)
	s.pins.mu.Unlock()

	for _, h := range orphaned {
		s.keepLocked(h.to, h.of.kept)
		h.of.kept = nil
	}
	return newest
}

// keepLocked hands superseded versions to the newest pin that may need them, and
// throws away those it does not need: no older pin can.
func (s *Store[T]) keepLocked(by *pin[T], versions []superseded[T]) {
	for _, o := range versions {
		switch {
		case o.old == nil:
			s.forgetIfGoneLocked(o.entry)
		case by != nil && o.old.seq() <= by.at.seq:
			by.kept = append(by.kept, o)
		default:
			o.entry.cut(o.old)
			s.unfileLocked(o.entry, o.old.in.Load())
			s.forgetIfGoneLocked(o.entry)
		}
	}
}

// unfileLocked takes e out of those postings of a thrown away version that no
// other version is in.
func (s *Store[T]) unfileLocked(e *entry[T], was *filing[T]) {
	if was == nil || was == e.head.Load().in.Load() {
		return
	}
	for _, p := range was.postings {
		if !e.filedIn(p) {
			p.of.remove(p, e)
		}
	}
}

// forgetIfGoneLocked takes out the entry of a removed object that nobody can see
// any more.
func (s *Store[T]) forgetIfGoneLocked(e *entry[T]) {
	head := e.head.Load()
	if !head.gone() || head.prev.Load() != nil {
		return
	}
	if s.entries.remove(e.hash, e) {
		p := s.namespaces.find(*head.space)
		p.leave(head.seq())
		s.namespaces.remove(p, e)
	}
}

package delta

import (
	"maps"
	"slices"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
)

// keeping is what a clerk needs to save its ledger and to begin with a saved one. The clerk's lock
// guards it.
//
//	Restore ──▶ books: the requests that had succeeded      streams: the requests that were told of each object
//	                │                                             │
//	                └───── all streams begin with what was saved ─┘── or else the books forget them
//
// A request that a worker takes is no longer as it was saved. So who keeps the saved ledger is told of it
// before the reconciler is called.
type keeping[R comparable] struct {
	by       ledger.Identity[R]
	restored map[string]ledger.StreamMemory // for the streams to come
	streams  []*stream[R]
	abstains bool

	// last are the requests that the newest saved ledger has, and next those of one that is being saved.
	last, next map[uint64]struct{}
}

// Keep is the [ledger.Keeper]'s.
func (l *clerk[R]) Keep(by ledger.Identity[R]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keeping = &keeping[R]{by: by}
	l.books.past.by = by.Request
}

// Keeps is the [ledger.Keeper]'s.
func (l *clerk[R]) Keeps() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.keeping != nil
}

// Ready is the [ledger.Saver]'s.
func (l *clerk[R]) Ready() bool {
	l.mu.Lock()
	var streams []*stream[R]
	if l.keeping != nil {
		streams = slices.Clone(l.keeping.streams)
	}
	l.mu.Unlock()
	for _, s := range streams {
		s.mu.Lock()
		listed := s.listed
		s.mu.Unlock()
		if !listed {
			return false
		}
	}
	return len(streams) > 0
}

// Restore is the [ledger.Keeper]'s.
func (l *clerk[R]) Restore(m ledger.Memory) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keeping.restored = m.Streams
	l.keeping.last = make(map[uint64]struct{}, len(m.Successes))
	for _, s := range m.Successes {
		known := success{at: s.At, gaps: l.books.gaps, lists: l.books.lists}
		if s.Doubtful {
			known.lists-- // another than will ever be
		}
		l.books.past.putHash(s.Request, known)
		l.keeping.last[s.Request] = struct{}{}
	}
	for _, request := range m.Open { // also if its object has come into being since
		l.books.missing.add(request)
	}
}

// Abstain is the [ledger.Keeper]'s.
func (l *clerk[R]) Abstain() {
	l.forgetRestored()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.keeping != nil {
		l.keeping.abstains = true
	}
}

// forgetRestored has every request count as one that has not succeeded, because a stream does not show
// what has happened since the ledger was saved.
func (l *clerk[R]) forgetRestored() {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.keeping
	if k == nil || k.restored == nil {
		return
	}
	k.restored = nil
	clear(l.books.past.young)
	clear(l.books.past.old)
}

// keepStream notes a stream, and gives it what its predecessor knew. Two of one name can't be told apart.
func (l *clerk[R]) keepStream(s *stream[R]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.keeping
	if k == nil {
		return
	}
	s.by = &k.by
	if saved, ok := k.restored[s.name]; ok && !slices.ContainsFunc(k.streams, func(other *stream[R]) bool { return other.name == s.name }) {
		s.saved = &saved
	}
	k.streams = append(k.streams, s)
}

// tookLocked returns what to call, without the lock, because a worker takes a request.
func (l *clerk[R]) tookLocked(r R) func() {
	k := l.keeping
	if k == nil || len(k.last)+len(k.next) == 0 {
		return func() {}
	}
	hash := k.by.Request(r)
	_, inLast := k.last[hash]
	_, inNext := k.next[hash]
	if !inLast && !inNext {
		return func() {}
	}
	delete(k.last, hash)
	delete(k.next, hash)
	return func() { k.by.Took(hash, ledger.Memories{Last: inLast, Next: inNext}) }
}

// Save is the [ledger.Saver]'s. It asks the streams first: what comes meanwhile will be shown once more.
func (l *clerk[R]) Save() (m ledger.Memory, ok bool) {
	l.mu.Lock()
	if l.keeping == nil {
		l.mu.Unlock()
		return m, false
	}
	streams := slices.Clone(l.keeping.streams)
	l.mu.Unlock()
	m.Streams = make(map[string]ledger.StreamMemory, len(streams))
	for _, s := range streams {
		if _, twice := m.Streams[s.name]; twice || s.name == "" {
			return ledger.Memory{}, false
		}
		if m.Streams[s.name], ok = s.save(); !ok {
			return ledger.Memory{}, false
		}
	}
	gaps, relists := l.gaps.sum(), l.relists.sum()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.missLocked(gaps, relists)
	if l.keeping.abstains || len(streams) == 0 || l.books.blind != "" || l.books.missing.all {
		return ledger.Memory{}, false
	}
	m.Successes = l.books.successes()
	m.Open, m.Busy = l.books.unfinished()
	l.keeping.next = make(map[uint64]struct{}, len(m.Successes))
	for _, s := range m.Successes {
		l.keeping.next[s.Request] = struct{}{}
	}
	return m, true
}

// Saved is the [ledger.Saver]'s.
func (l *clerk[R]) Saved() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keeping.last, l.keeping.next = l.keeping.next, nil
}

// NotSaved is the [ledger.Saver]'s.
func (l *clerk[R]) NotSaved() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keeping.next = nil
}

// successes are the requests that have been dealt with as far as anything is known.
func (b *books[R]) successes() []ledger.Success {
	open := make(map[uint64]struct{}, len(b.accounts))
	for r := range b.accounts {
		open[b.past.hash(r)] = struct{}{}
	}
	var all []ledger.Success
	b.past.all(func(hash uint64, s success) {
		if _, busy := open[hash]; !busy && s.gaps == b.gaps && !b.missing.has(hash) {
			all = append(all, ledger.Success{Request: hash, At: s.at, Doubtful: s.lists != b.lists})
		}
	})
	return all
}

// unfinished are the requests that are not among the successes because something is still to be done. It also reports whether a
// worker has one.
func (b *books[R]) unfinished() (open []uint64, busy bool) {
	for r, a := range b.accounts {
		open, busy = append(open, b.past.hash(r)), busy || a.running
	}
	return slices.AppendSeq(open, maps.Keys(b.missing.hashes)), busy
}

// recallLocked completes a delivery that shows what was saved. If nothing is known of how the object was told of, it
// is like one of a first list.
func (s *stream[R]) recallLocked(d *delivery[R]) {
	c := &d.change
	if c.Cause != Restart {
		return
	}
	known := s.saved != nil
	var told []uint64
	if known {
		_, unsure := s.saved.Unsure[d.object]
		told = s.saved.Told[d.object]
		known = !unsure && (s.byKey || len(told) > 0)
	}
	switch {
	case !known:
		c.Cause, c.Op, c.Old, c.watch = InitialList, Added, nil, 0
	case !s.byKey:
		s.trails[d.object] = trail{to: told[0], others: told[1:]}
	}
}

// Listed is the [ledger.Stream]'s.
func (s *stream[R]) Listed(with ledger.Beginning) {
	s.mu.Lock()
	known := s.saved != nil
	s.listed, s.saved = true, nil
	s.mu.Unlock()
	if with != ledger.WithMemory || !known { // or an earlier process had no such watch, and its reconcilers were not told of these objects
		s.clerk.forgetRestored()
	}
}

func (s *stream[R]) save() (m ledger.StreamMemory, ok bool) {
	s.mu.Lock()
	trails, listed := maps.Clone(s.trails), s.listed
	s.mu.Unlock()
	if !listed {
		return m, false
	}
	m = ledger.StreamMemory{Told: map[uint64][]uint64{}, Unsure: map[uint64]struct{}{}}
	for object, t := range trails {
		if t.lost || t.hidden != 0 {
			m.Unsure[object] = struct{}{}
		} else {
			m.Told[object] = append([]uint64{t.to}, t.others...)
		}
	}
	return m, true
}

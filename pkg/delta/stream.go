package delta

import (
	"hash/maphash"
	"math/bits"
	"slices"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
	"github.com/delta-runtime/delta-runtime/internal/schema/path"
)

// stream makes changes of what one watch shows, so that what a request is told of an
// object lacks nothing that the watch has shown of it.
//
//	watch ── Begin ──▶ Delivery ── Record, once for each request ──▶ Ledger
//	                      └─────── End, when the handler has returned
//
// A handler is not told of everything: predicates hold events back, and a function may map
// an event to other requests than the one before. A reconciler may have read those states
// all the same. So the stream remembers for each object what changed in the states that
// nobody was told of, and to which requests the last one was told. The next change touches
// that as well. To a request that was not among the last ones it touches everything.
//
// It remembers some 60 bytes for each object that is not mapped by its key, and for each
// that had something held back. It remembers 8 more for each further request of an object.
//
// Nothing here has a lock: one goroutine at a time begins and ends all deliveries.
type stream[R comparable] struct {
	clerk *clerk[R]
	byKey bool // each object is for the request of its own key, and no other
	seed  maphash.Seed

	number uint64 // of the latest delivery
	trails map[uint64]trail
	parts  []path.Part // that something was held back of. Invariant: at most maxParts; a part keeps its place.
}

// maxParts is how many parts a stream tells apart: a trail has a bit for each.
const maxParts = 64

// trail is what was shown of one object. Objects are known by the hashes of their keys,
// and requests by theirs: among a million the chance that two share one is one in thirty
// million.
type trail struct {
	to     uint64   // one of the requests that were last told
	others []uint64 // the further ones, sorted
	hidden uint64   // the parts that have changed since
	lost   bool     // more may have
}

// NewStream is the [ledger.Recorder]'s.
func (l *clerk[R]) NewStream(byKey bool) ledger.Stream[R, Change] {
	return &stream[R]{clerk: l, byKey: byKey, seed: maphash.MakeSeed(), trails: map[uint64]trail{}}
}

func (s *stream[R]) hashObject(key Key) uint64 { return maphash.Comparable(s.seed, key) }

func (s *stream[R]) hashRequest(r R) uint64 { return maphash.Comparable(s.seed, r) }

// delivery is one event on its way to a handler.
type delivery[R comparable] struct {
	stream *stream[R]
	change Change
	object uint64
	before trail // of the object, when the delivery began
	known  bool  // there was one

	to    []uint64 // requests that it was recorded for; guarded by clerk.mu, as ended is
	ended bool
}

// Begin is the [ledger.Stream]'s.
func (s *stream[R]) Begin(c Change) ledger.Delivery[R] {
	d := &delivery[R]{stream: s, change: c, object: s.hashObject(c.Key)}
	s.number++
	d.change.once = &once{stream: s, number: s.number}
	d.before, d.known = s.trails[d.object]
	d.change.touched, d.change.unsure = s.paths(d.before.hidden), d.before.lost
	return d
}

// Record is the [ledger.Delivery]'s.
func (d *delivery[R]) Record(r R) {
	c := d.change
	c.begins = d.stream.byKey && (d.before.lost || c.Op == Added || isUpdate(&c) && c.Old.GetUID() != c.New.GetUID())
	if c.watch != 0 && hidesUpdate(&c) {
		c.causes = c.causes.with(c.watch)
	}
	l, hash := d.stream.clerk, d.stream.hashRequest(r)
	l.complete(&c)
	l.mu.Lock()
	defer l.mu.Unlock()
	c.unsure = d.addLocked(hash) || c.unsure
	l.books.record(r, &c)
}

// addLocked notes a request, and reports whether the object may have had states that this
// request was not told of.
func (d *delivery[R]) addLocked(hash uint64) (unsure bool) {
	if d.ended {
		return true // other events have been shown meanwhile, or will be before it is told
	}
	d.to = append(d.to, hash)
	return !d.stream.byKey && (!d.known || !d.before.told(hash))
}

// End is the [ledger.Delivery]'s.
func (d *delivery[R]) End() {
	l := d.stream.clerk
	l.mu.Lock()
	d.ended = true
	to := d.to // nobody adds to it any more
	l.mu.Unlock()
	slices.Sort(to)
	to = slices.Compact(to)
	switch s := d.stream; {
	case len(to) == 0:
		d.hide()
	case ends(&d.change), s.byKey:
		delete(s.trails, d.object)
	case d.change.Op == Sync && d.known && found(to, d.before.to) && d.before.hidden == 0 && !d.before.lost:
		// It showed no other state, so those that it was not for lack nothing.
	default:
		s.trails[d.object] = trail{to: to[0], others: slices.Clone(to[1:])}
	}
}

// hide notes an event that nobody was told of.
func (d *delivery[R]) hide() {
	s, c, after := d.stream, &d.change, d.before
	var changed []path.Part
	switch {
	case ends(c):
		delete(s.trails, d.object)
		return
	case isUpdate(c) && c.Op == Sync: // the last state once more
		return
	case !isUpdate(c) || c.Relisted: // a beginning, or something that led there unseen
		after.lost = true
	default:
		parts, known := path.ChangedParts(c.Old, c.New)
		changed, after.lost = parts, after.lost || !known
	}
	for _, p := range changed {
		bit, ok := s.bit(p)
		after.hidden |= bit
		after.lost = after.lost || !ok
	}
	if after.lost {
		after.hidden = 0 // everything counts as touched
	}
	s.trails[d.object] = after
}

// bit returns the bit of a part, unless there are too many.
func (s *stream[R]) bit(p path.Part) (uint64, bool) {
	i := slices.Index(s.parts, p)
	if i < 0 {
		if i = len(s.parts); i == maxParts {
			return 0, false
		}
		s.parts = append(s.parts, p)
	}
	return 1 << i, true
}

func (s *stream[R]) paths(parts uint64) []path.Path {
	var paths []path.Path
	for ; parts != 0; parts &= parts - 1 {
		paths = append(paths, s.parts[bits.TrailingZeros64(parts)].Path())
	}
	return paths
}

// Restart is the [ledger.Stream]'s.
func (s *stream[R]) Restart() {
	clear(s.trails)
}

func (t *trail) told(hash uint64) bool { return t.to == hash || found(t.others, hash) }

func found(sorted []uint64, hash uint64) bool {
	_, ok := slices.BinarySearch(sorted, hash)
	return ok
}

package journal

import (
	"slices"
	"sync/atomic"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Follower is a place in the journal's deltas that moves on. It holds no delta: Take reads those that
// the journal still has. One goroutine at a time may call its methods.
type Follower struct {
	want   Filter
	of     *Journal
	ready  chan struct{}      // cap 1; holds a token while there may be something to take
	places map[*Deltas]uint64 // of each kind, how many of its deltas are behind. A kind that came later has none there.
	closed bool
}

// followers are those that there are. The list is copied when it changes. Nobody needs a lock to look
// at it.
type followers struct {
	list atomic.Pointer[[]*Follower] // written under Journal.mu; nil: there is none
}

// Follow begins after the delta with the number Since, or with the oldest that there is if that is
// zero. Close has to follow. The limit counts for nothing.
func (j *Journal) Follow(want Filter) *Follower {
	f := &Follower{want: want, of: j, ready: make(chan struct{}, 1), places: map[*Deltas]uint64{}}
	for _, d := range j.kindsNamed(want.Kind) {
		f.places[d] = d.placeAfter(want.Since)
	}
	j.changeFollowers(func(all []*Follower) []*Follower { return append(all, f) })
	f.ring() // also for what came meanwhile
	return f
}

func (l *followers) now() []*Follower {
	if all := l.list.Load(); all != nil {
		return *all
	}
	return nil
}

func (j *Journal) changeFollowers(change func([]*Follower) []*Follower) {
	j.mu.Lock()
	defer j.mu.Unlock()
	all := change(slices.Clone(j.followers.now()))
	if len(all) == 0 {
		j.followers.list.Store(nil)
		return
	}
	j.followers.list.Store(&all)
}

// tell says that there are more deltas of a kind.
func (l *followers) tell(kind string) {
	for _, f := range l.now() {
		if fits(f.want.Kind, kind) {
			f.ring()
		}
	}
}

func (f *Follower) ring() {
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

// Ready has a token while Take may return something.
func (f *Follower) Ready() <-chan struct{} { return f.ready }

// Take returns the next deltas, at most so many, the oldest first. Of those that it should have
// returned it also says how many the journal has dropped since the last call. A delta that was dropped long ago counts
// if it was of a kind that is wanted, because nothing else is known of it.
func (f *Follower) Take(most int) (taken []Entry, lost uint64) {
	if f.closed {
		return nil, 0
	}
	// A delta gets its number under the lock of its kind. So all of them up to this number are there
	// when their kind is looked at, and a later call has none that belongs before these.
	last := f.of.ids.Load()
	for more := true; more && len(taken) < most; {
		var some []Entry
		var gone uint64
		some, gone, more = f.next(last, most-len(taken))
		lost += gone
		for i := range some {
			if f.want.wantsManager(&some[i]) {
				taken = append(taken, some[i])
			}
		}
	}
	if len(taken) == most {
		f.ring()
	}
	return taken, lost
}

// next moves on by up to most deltas, up to the one with the number last. It does not look at
// managers.
func (f *Follower) next(last uint64, most int) (some []Entry, lost uint64, more bool) {
	var found []placed
	for _, d := range f.of.kindsNamed(f.want.Kind) {
		part := d.after(f.places[d], last, most, &f.want)
		found = append(found, part.found...)
		lost, more = lost+part.lost, more || part.more
		f.places[d] = part.end
		slices.SortFunc(found, func(a, b placed) int { return newer(b.entry.ID, a.entry.ID) })
		if len(found) <= most {
			continue
		}
		for _, p := range found[most:] {
			f.places[p.of] = min(f.places[p.of], p.place)
		}
		found, more = found[:most], true
		last = found[most-1].entry.ID // of other kinds nothing later is of interest
	}
	for i := range found {
		some = append(some, found[i].entry)
	}
	return some, lost, more
}

// Close ends the following.
func (f *Follower) Close() {
	f.closed = true
	f.of.changeFollowers(func(all []*Follower) []*Follower {
		return slices.DeleteFunc(all, func(other *Follower) bool { return other == f })
	})
}

// placed is a delta with its place among all that its kind has had.
type placed struct {
	entry Entry
	of    *Deltas
	place uint64
}

// stretch is what a follower sees of one kind.
type stretch struct {
	found []placed
	lost  uint64
	end   uint64 // the place after the last that was looked at
	more  bool   // there are more behind it
}

// after looks from a place on for what is wanted, up to the delta with the number last.
func (d *Deltas) after(place, last uint64, most int, want *Filter) (s stretch) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s.lost = d.lostLocked(place, want)
	for s.end = max(place, d.dropped); s.end < d.noted; s.end++ {
		e := d.entries.at(int(s.end - d.dropped)) //nolint:gosec // it is less than entries.count
		if e.ID > last {
			break
		}
		if !want.fits(e.Kind, &e.Delta.Key, e.Delta.Op) {
			continue
		}
		if s.more = len(s.found) == most; s.more {
			break
		}
		s.found = append(s.found, placed{*e, d, s.end})
	}
	return s
}

// mostGone is of how many deltas that were dropped something is known, of each kind.
const mostGone = 512

// mostGoneOfAll is that of all kinds together, which share it.
const mostGoneOfAll = 16 << 10

// mostGoneOf is the share of each of so many kinds.
func mostGoneOf(kinds int) int { return min(mostGone, max(leastRoom, mostGoneOfAll/kinds)) }

// gone is what is known of a delta that was dropped.
type gone struct {
	id  uint64
	key delta.Key
	op  delta.Op
}

// lostLocked counts those from a place on that are gone and that may be wanted.
func (d *Deltas) lostLocked(place uint64, want *Filter) (lost uint64) {
	known := d.dropped - uint64(d.gone.count) //nolint:gosec // it is not negative
	if place < known {
		lost, place = known-place, known
	}
	for ; place < d.dropped; place++ {
		g := d.gone.at(int(place - known)) //nolint:gosec // it is less than gone.count
		if want.fits(d.name, &g.key, g.op) {
			lost++
		}
	}
	return lost
}

// placeAfter is where the deltas begin that come after the one with a number. Zero is the oldest that there
// is. If it is not known any more, the place may be too early.
func (d *Deltas) placeAfter(id uint64) uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if id == 0 {
		return d.dropped
	}
	place := d.dropped - uint64(d.gone.count) //nolint:gosec // it is not negative
	if place > 0 && d.gone.at(0).id > id {
		return place - min(place, d.gone.at(0).id-id-1)
	}
	for i := range d.gone.count {
		if d.gone.at(i).id > id {
			return place
		}
		place++
	}
	for i := range d.entries.count {
		if d.entries.at(i).ID > id {
			return place
		}
		place++
	}
	return place
}

package journal

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Follower is a place in the journal's deltas that moves on. It holds no delta: Take reads those that
// the journal still has. One goroutine at a time may call its methods.
type Follower struct {
	want   Filter
	of     *Journal
	ready  chan struct{}   // cap 1; holds a token while there may be something to take
	seen   uint64          // the number up to which all deltas are behind
	places map[lane]uint64 // of each lane, how many of its deltas that are. A kind that came later has none there.
}

// lane has the deltas of one kind and one class.
type lane struct {
	*Deltas
	of class
}

// lanes are those in which something may be that is wanted.
func (f *Follower) lanes() (all []lane) {
	for _, d := range f.of.kindsNamed(f.want.Kind) {
		if f.want.Op != delta.Sync {
			all = append(all, lane{d, changed})
		}
		if f.want.Op == 0 || f.want.Op == delta.Sync {
			all = append(all, lane{d, shown})
		}
	}
	return all
}

// followers are those that there are. The list is copied when it changes. Nobody needs a lock to look
// at it.
type followers struct {
	list atomic.Pointer[[]*Follower] // written under Journal.mu; nil: there was none yet
}

// Follow begins after the delta with the number Since, or with the oldest that there is if that is
// zero. Close has to follow. The limit counts for nothing.
func (j *Journal) Follow(want Filter) *Follower {
	f := &Follower{want: want, of: j, ready: make(chan struct{}, 1), places: map[lane]uint64{}}
	f.moveTo(f.lanes(), min(want.Since, j.ids.Load()))
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

// Take returns the next deltas, at most so many, the oldest first. It also says how many the journal has dropped since the
// last call that it should have returned. A delta that was dropped counts if its kind is wanted, because nothing else is known of it.
func (f *Follower) Take(most int) (taken []Entry, lost uint64) {
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
func (f *Follower) next(last uint64, most int) (found []Entry, lost uint64, more bool) {
	lanes := f.lanes()
	for _, l := range lanes {
		some, gone := l.after(f, last, most+1) // one too many shows that there are more
		found, lost = append(found, some...), lost+gone
	}
	slices.SortFunc(found, func(a, b Entry) int { return cmp.Compare(a.ID, b.ID) })
	if more = len(found) > most; more {
		found = found[:most]
		last = found[most-1].ID
	}
	f.moveTo(lanes, last)
	return found, lost, more
}

// moveTo leaves behind what has a number up to this one.
func (f *Follower) moveTo(lanes []lane, id uint64) {
	f.seen = id
	for _, l := range lanes {
		f.places[l] = max(f.places[l], l.placeAfter(id)) // those that are gone behind it count already
	}
}

// Close ends the following.
func (f *Follower) Close() {
	f.of.changeFollowers(func(all []*Follower) []*Follower {
		return slices.DeleteFunc(all, func(other *Follower) bool { return other == f })
	})
}

// after returns what a follower wants of those that it has not seen, up to the delta with the number last, and how many are gone.
func (l lane) after(f *Follower, last uint64, most int) (found []Entry, lost uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &l.rows[l.of]
	place := f.places[l]
	f.places[l] = max(place, r.dropped)
	for i := l.firstAfter(f.seen, r); i < r.entries.count && len(found) < most; i++ {
		e := r.entries.at(i)
		if e.ID > last {
			break
		}
		if f.want.fits(e.Kind, &e.Delta.Key, e.Delta.Op) {
			found = append(found, *e)
		}
	}
	return found, f.places[l] - place
}

// placeAfter is how many deltas a lane has had up to the one with a number. Zero is before the oldest that there is. If others
// behind it are gone, nobody knows how many these are, and the place may be too early.
func (l lane) placeAfter(id uint64) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &l.rows[l.of]
	if id > 0 && id < r.lastGone {
		return r.dropped - min(r.dropped, r.lastGone-id)
	}
	return r.dropped + uint64(l.firstAfter(id, r)) //nolint:gosec // it is not negative
}

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
	places map[lane]uint64 // of each lane, how many of its deltas are behind. A kind that came later has none there.
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
	for _, l := range f.lanes() {
		f.places[l] = l.placeAfter(want.Since)
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
func (f *Follower) next(last uint64, most int) (some []Entry, lost uint64, more bool) {
	var found []placed
	for _, l := range f.lanes() {
		part := l.after(f.places[l], last, most, &f.want)
		found = append(found, part.found...)
		lost, more = lost+part.lost, more || part.more
		f.places[l] = part.end
		slices.SortFunc(found, func(a, b placed) int { return cmp.Compare(a.entry.ID, b.entry.ID) })
		if len(found) <= most {
			continue
		}
		for _, p := range found[most:] {
			f.places[p.of] = min(f.places[p.of], p.place)
		}
		found, more = found[:most], true
		last = found[most-1].entry.ID // of other lanes nothing later is of interest
	}
	for i := range found {
		some = append(some, found[i].entry)
	}
	return some, lost, more
}

// Close ends the following.
func (f *Follower) Close() {
	f.of.changeFollowers(func(all []*Follower) []*Follower {
		return slices.DeleteFunc(all, func(other *Follower) bool { return other == f })
	})
}

// placed is a delta with its place among all that its lane has had.
type placed struct {
	entry Entry
	of    lane
	place uint64
}

// stretch is what a follower sees of one lane.
type stretch struct {
	found []placed
	lost  uint64
	end   uint64 // the place after the last that was looked at
	more  bool   // there are more behind it
}

// after looks from a place on for what is wanted, up to the delta with the number last.
func (l lane) after(place, last uint64, most int, want *Filter) (s stretch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &l.rows[l.of]
	s.end = max(place, r.dropped)
	s.lost = s.end - place
	for ; s.end < r.noted; s.end++ {
		e := r.entries.at(int(s.end - r.dropped)) //nolint:gosec // it is less than entries.count
		if e.ID > last {
			break
		}
		if !want.fits(e.Kind, &e.Delta.Key, e.Delta.Op) {
			continue
		}
		if s.more = len(s.found) == most; s.more {
			break
		}
		s.found = append(s.found, placed{*e, l, s.end})
	}
	return s
}

// placeAfter is where the deltas begin that come after the one with a number. Zero is the oldest that there
// is. If that one and others behind it are gone, nobody knows how many these are, and the place may be too early.
func (l lane) placeAfter(id uint64) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &l.rows[l.of]
	place := r.dropped
	if id > 0 && id < r.lastGone {
		return place - min(place, r.lastGone-id)
	}
	for i := 0; id > 0 && i < r.entries.count && r.entries.at(i).ID <= id; i++ {
		place++
	}
	return place
}

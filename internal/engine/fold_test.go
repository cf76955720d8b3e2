package engine

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/internal/traits"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// part is an object reduced to what folding can see: which one, in which state.
// The zero part is none.
type part struct {
	uid   string
	state int
}

func partTraits() *traits.Of[part] {
	return &traits.Of[part]{
		Version: func(o part) string { return fmt.Sprint(o.state) },
		UID:     func(o part) string { return o.uid },
	}
}

// history makes up what a store could have gone through, one event at a time.
type history struct {
	rng   *rand.Rand
	now   map[delta.Key]part
	clock int                 // the last state given out
	born  map[string]int      // the state each uid was born in
	ended map[string]delta.Op // how each uid ended: Deleted, or Updated where another one took its place
}

func newHistory(seed uint64) *history {
	return &history{
		rng: rand.New(rand.NewPCG(seed, 0)), now: map[delta.Key]part{},
		born: map[string]int{}, ended: map[string]delta.Op{},
	}
}

func (h *history) bear() part {
	h.clock++
	o := part{uid: fmt.Sprint("u", h.clock), state: h.clock}
	h.born[o.uid] = o.state
	return o
}

func (h *history) next(keys int) delta.Delta[part] {
	h.clock++
	d := delta.Delta[part]{Key: delta.Key{Name: fmt.Sprint("k", h.rng.IntN(keys))}}
	old, exists := h.now[d.Key]
	switch choice := h.rng.IntN(10); {
	case !exists:
		d.Op, d.New, d.Initial = delta.Added, h.bear(), choice == 0
	case choice < 4:
		d.Op, d.Old, d.New = delta.Updated, old, part{old.uid, h.clock}
	case choice < 6:
		d.Op, d.Old, d.New = delta.Sync, old, old
	case choice < 7:
		d.Op, d.Old, d.New = delta.Updated, old, h.bear()
		h.ended[old.uid] = delta.Updated
	case choice < 9:
		d.Op, d.Old, d.New = delta.Deleted, old, part{old.uid, h.clock}
		h.ended[old.uid] = delta.Deleted
	default:
		d.Op, d.Old, d.Missed = delta.Deleted, old, true
		h.ended[old.uid] = delta.Deleted
	}
	d.Version = fmt.Sprint(h.clock)
	if d.Op == delta.Deleted {
		delete(h.now, d.Key)
	} else {
		h.now[d.Key] = d.New
	}
	return d
}

// witness is a subscriber that checks that its deltas make sense. It knows the deltas before
// and how things really went, and nothing else.
type witness struct {
	h     *history
	world map[delta.Key]part
	last  map[delta.Key]int // the newest state told of each key
	told  int

	hidden uint64 // what Folded says, in all
	really map[string]bool
}

// happening is what there is to tell of a delta.
func happening(d *delta.Delta[part]) string { return fmt.Sprint(d.Key, d.Op, d.Old, d.New) }

// hear returns what is wrong with telling d next.
func (w *witness) hear(d *delta.Delta[part]) error {
	w.told++
	w.hidden += uint64(d.Folded)
	known, knows := w.world[d.Key]
	switch {
	case d.Folded == 0 && !w.really[happening(d)]:
		return errors.New("nothing is folded, but so it did not happen")
	case d.Old != known:
		return fmt.Errorf("old is %v, but %v was told last", d.Old, known)
	case knows == (d.Op == delta.Added):
		return fmt.Errorf("known before: %t", knows)
	case d.Op == delta.Sync && d.Old != d.New:
		return fmt.Errorf("a sync that changes something: %v→%v", d.Old, d.New)
	case d.Op == delta.Updated && d.Old.uid != d.New.uid && w.h.ended[d.Old.uid] != delta.Updated:
		return fmt.Errorf("the end of %v was not told", d.Old)
	case d.Op == delta.Deleted && w.h.ended[d.Old.uid] == delta.Updated && !d.Missed:
		return fmt.Errorf("%v was not deleted, another object took its place", d.Old)
	case d.Op == delta.Deleted && !d.Missed && d.New.uid != d.Old.uid:
		return fmt.Errorf("final state %v is of another object than %v", d.New, d.Old)
	case d.Op != delta.Deleted && d.New.state < w.last[d.Key]:
		return fmt.Errorf("state %d after %d", d.New.state, w.last[d.Key])
	}
	if d.Op == delta.Deleted {
		delete(w.world, d.Key)
		return nil
	}
	w.world[d.Key], w.last[d.Key] = d.New, d.New.state
	return nil
}

func TestFoldedBacklogTellsTheSameStory(t *testing.T) {
	seeds.Each(t, usualSeeds, func(t *testing.T, seed uint64) {
		tellStory(t, seed)
	})
}

func tellStory(t *testing.T, seed uint64) {
	h := newHistory(seed)
	w := &witness{h: h, world: map[delta.Key]part{}, last: map[delta.Key]int{}, really: map[string]bool{}}
	b := newFoldedBacklog(partTraits().UID)
	keys, patience := 1+h.rng.IntN(5), 1+h.rng.IntN(40)
	asked := map[delta.Key]int{} // the state that a sync asked to see
	added := 0
	hear := func(run []event[part]) {
		for i := range run {
			d := &run[i].Delta
			if err := w.hear(d); err != nil {
				t.Fatalf("told %s %s %v→%v: %v", d.Op, d.Key, d.Old, d.New, err)
			}
			if d.New.state >= asked[d.Key] {
				delete(asked, d.Key)
			}
		}
	}
	for range 300 {
		d := h.next(keys)
		w.really[happening(&d)] = true
		b.add(&d, uint64(added), time.Unix(int64(added), 0))
		added++
		switch d.Op {
		case delta.Sync:
			asked[d.Key] = d.New.state
		case delta.Deleted:
			delete(asked, d.Key)
		}
		if h.rng.IntN(patience) == 0 {
			hear(b.take(make([]event[part], 0, 1+h.rng.IntN(4))))
		}
		checkShape(t, b)
		if in, out := uint64(added), uint64(w.told+b.length)+b.folded+b.vanished; in != out {
			t.Fatalf("%d deltas went in, but %d are told, pending, folded or vanished", in, out)
		}
	}
	for b.length > 0 {
		hear(b.take(make([]event[part], 0, 3)))
	}
	if w.hidden < b.folded && b.vanished == 0 || w.hidden > b.folded+b.vanished {
		t.Fatalf("%d deltas are said to be folded, but %d are, and %d have vanished", w.hidden, b.folded, b.vanished)
	}
	if fmt.Sprint(w.world) != fmt.Sprint(h.now) {
		t.Fatalf("after everything is told, the subscriber's world is %v, the store %v", w.world, h.now)
	}
	if len(asked) > 0 {
		t.Fatalf("these were to be seen again and were not: %v", asked)
	}
	if len(b.latest) != 0 || b.oldest != nil || b.newest != nil {
		t.Fatal("an empty backlog keeps something")
	}
}

// checkShape checks what the structure says of itself.
func checkShape(t *testing.T, b *foldedBacklog[part]) {
	t.Helper()
	perKey, n := map[delta.Key]int{}, 0
	for o := b.oldest; o != nil; o = o.next {
		n++
		perKey[o.Key]++
		if o.next != nil && (o.next.number <= o.number || o.next.prev != o) {
			t.Fatalf("number %d is followed by %d", o.number, o.next.number)
		}
	}
	if n != b.length {
		t.Fatalf("length is %d with %d deltas", b.length, n)
	}
	for key, n := range perKey {
		if n > maxPerKey {
			t.Fatalf("%d deltas of %s are pending", n, key)
		}
		for o := b.latest[key]; o != nil; o = o.before {
			n--
		}
		if n != 0 {
			t.Fatalf("the chain of %s misses %d deltas", key, n)
		}
	}
}

// told is what a subscriber is told.
type told = []delta.Delta[part]

// foldRules has each rule once, small enough to read: what comes in and what is told.
func foldRules() map[string]struct{ in, out told } {
	a1, a2, a3, b1, b2, c1 := part{"a", 1}, part{"a", 2}, part{"a", 3}, part{"b", 4}, part{"b", 5}, part{"c", 6}
	none, other, asked := part{}, delta.Key{Name: "other"}, &delta.Origin{Resync: &delta.ResyncTerms{Lane: 1}}
	return map[string]struct{ in, out told }{
		"updates fold, first old to last new": {
			told{{Op: delta.Updated, Old: a1, New: a2}, {Op: delta.Updated, Old: a2, New: a3}},
			told{{Op: delta.Updated, Old: a1, New: a3, Folded: 1}},
		},
		"a sync folds into the update before it": {
			told{{Op: delta.Updated, Old: a1, New: a2}, {Op: delta.Sync, Old: a2, New: a2}},
			told{{Op: delta.Updated, Old: a1, New: a2, Folded: 1}},
		},
		"a sync becomes the update after it": {
			told{{Op: delta.Sync, Old: a1, New: a1}, {Op: delta.Updated, Old: a1, New: a2}},
			told{{Op: delta.Updated, Old: a1, New: a2, Folded: 1}},
		},
		"syncs fold": {
			told{{Op: delta.Sync, Old: a1, New: a1}, {Op: delta.Sync, Old: a1, New: a1}},
			told{{Op: delta.Sync, Old: a1, New: a1, Folded: 1}},
		},
		"a sync that a resync asked for is one of it, whatever else showed the object": {
			told{{Op: delta.Sync, Old: a1, New: a1, Origin: asked}, {Op: delta.Sync, Old: a1, New: a1, Origin: asked}, {Op: delta.Sync, Old: b1, New: b1, Origin: asked, Key: other}, {Op: delta.Sync, Old: b1, New: b1, Key: other}},
			told{{Op: delta.Sync, Old: a1, New: a1, Origin: asked, Folded: 1}, {Op: delta.Sync, Old: b1, New: b1, Origin: asked, Key: other, Folded: 1}},
		},
		"what a relist showed stays so": {
			told{{Op: delta.Updated, Old: a1, New: a2, Relisted: true}, {Op: delta.Updated, Old: a2, New: a3}, {Op: delta.Updated, Old: b1, New: b2, Key: other}, {Op: delta.Sync, Old: b2, New: b2, Key: other}},
			told{{Op: delta.Updated, Old: a1, New: a3, Relisted: true, Folded: 1}, {Op: delta.Updated, Old: b1, New: b2, Key: other, Folded: 1}},
		},
		"an added stays, its updates fold, it answers a sync": {
			told{{Op: delta.Added, New: a1}, {Op: delta.Sync, Old: a1, New: a1}, {Op: delta.Updated, Old: a1, New: a2}, {Op: delta.Updated, Old: a2, New: a3}},
			told{{Op: delta.Added, New: a1, Folded: 1}, {Op: delta.Updated, Old: a1, New: a3, Folded: 1}},
		},
		"nothing folds across a deletion": {
			told{{Op: delta.Updated, Old: a1, New: a2}, {Op: delta.Deleted, Old: a2, New: a3}, {Op: delta.Added, New: b1}, {Op: delta.Updated, Old: b1, New: b2}},
			told{{Op: delta.Updated, Old: a1, New: a2}, {Op: delta.Deleted, Old: a2, New: a3}, {Op: delta.Added, New: b1}, {Op: delta.Updated, Old: b1, New: b2}},
		},
		"what came and went unknown vanishes": {
			told{{Op: delta.Deleted, Old: a1, New: a1}, {Op: delta.Added, New: b1}, {Op: delta.Updated, Old: b1, New: b2}, {Op: delta.Deleted, Old: b2, Missed: true}},
			told{{Op: delta.Deleted, Old: a1, New: a1}},
		},
		"an exchange is not a change": {
			told{{Op: delta.Updated, Old: a1, New: a2}, {Op: delta.Updated, Old: a2, New: b1}, {Op: delta.Updated, Old: b1, New: b2}},
			told{{Op: delta.Updated, Old: a1, New: a2}, {Op: delta.Updated, Old: a2, New: b1}, {Op: delta.Updated, Old: b1, New: b2}},
		},
		"an exchange for what is exchanged itself": {
			told{{Op: delta.Updated, Old: a1, New: b1}, {Op: delta.Updated, Old: b1, New: b2}, {Op: delta.Updated, Old: b2, New: c1}},
			told{{Op: delta.Updated, Old: a1, New: c1, Folded: 2}},
		},
		"an exchange for what goes": {
			told{{Op: delta.Updated, Old: a1, New: b1}, {Op: delta.Deleted, Old: b1, New: b2}},
			told{{Op: delta.Deleted, Old: a1, New: none, Missed: true, Folded: 1}},
		},
		"a sync of what was put back past the informer is told": {
			told{{Op: delta.Deleted, Old: a1, New: a1}, {Op: delta.Sync, Old: a1, New: a1}},
			told{{Op: delta.Deleted, Old: a1, New: a1}, {Op: delta.Sync, Old: a1, New: a1}},
		},
		"a state without a UID does not join two objects": {
			told{{Op: delta.Updated, Old: a1, New: part{"", 2}}, {Op: delta.Updated, Old: part{"", 2}, New: b1}},
			told{{Op: delta.Updated, Old: a1, New: part{"", 2}}, {Op: delta.Updated, Old: part{"", 2}, New: b1}},
		},
		"nothing folds across the end of a scope": {
			told{{Op: delta.Updated, Old: a1, New: a2}, {Op: delta.OutOfScope, Old: a2}, {Op: delta.Added, New: a3}},
			told{{Op: delta.Updated, Old: a1, New: a2}, {Op: delta.OutOfScope, Old: a2}, {Op: delta.Added, New: a3}},
		},
		"what came and left the scope unknown vanishes": {
			told{{Op: delta.OutOfScope, Old: a1}, {Op: delta.Added, New: a1}, {Op: delta.Updated, Old: a1, New: a2}, {Op: delta.OutOfScope, Old: a2}},
			told{{Op: delta.OutOfScope, Old: a1}},
		},
		"an exchange for what leaves the scope": {
			told{{Op: delta.Updated, Old: a1, New: b1}, {Op: delta.OutOfScope, Old: b1}},
			told{{Op: delta.OutOfScope, Old: a1, Folded: 1}},
		},
		"what a scope that went silently knew is forgotten when it is back": {
			told{{Op: delta.Deleted, Old: b1, New: b1}, {Op: delta.Added, New: a1}, {Op: delta.Updated, Old: a1, New: a2}, {Op: delta.Added, New: a3}, {Op: delta.Updated, Old: a3, New: a1}},
			told{{Op: delta.Deleted, Old: b1, New: b1}, {Op: delta.Added, New: a3}, {Op: delta.Updated, Old: a3, New: a1}},
		},
		"an unknown one is exchanged": {
			told{{Op: delta.Added, New: a1}, {Op: delta.Updated, Old: a1, New: b1}},
			told{{Op: delta.Added, New: b1, Folded: 1}},
		},
	}
}

func TestFoldedBacklogRules(t *testing.T) {
	for name, test := range foldRules() {
		t.Run(name, func(t *testing.T) {
			b := newFoldedBacklog(partTraits().UID)
			for i := range test.in {
				b.add(&test.in[i], uint64(i), time.Time{})
			}
			got := told{}
			for _, e := range b.take(make([]event[part], 0, 9)) {
				got = append(got, e.Delta)
			}
			if fmt.Sprint(got) != fmt.Sprint(test.out) {
				t.Errorf("got  %v\nwant %v", got, test.out)
			}
		})
	}
}

// A folded delta says of its New what the last one folded into it said.
func TestFoldKeepsWhatBelongsToNew(t *testing.T) {
	b := newFoldedBacklog(partTraits().UID)
	first, last := &delta.Origin{Manager: "first"}, &delta.Origin{Manager: "last"}
	b.add(&delta.Delta[part]{Op: delta.Updated, Old: part{"a", 1}, New: part{"a", 2}, Version: "2", Seen: time.Unix(2, 0), Origin: first, Initial: true}, 7, time.Unix(20, 0))
	b.add(&delta.Delta[part]{Op: delta.Updated, Old: part{"a", 2}, New: part{"a", 3}, Version: "3", Seen: time.Unix(3, 0), Origin: last}, 8, time.Unix(30, 0))
	o := b.oldest
	if o.Version != "3" || !o.Seen.Equal(time.Unix(3, 0)) || o.Origin != last || o.Initial {
		t.Errorf("version %s seen %v origin %v initial %t, want the last one's and not initial", o.Version, o.Seen, o.Origin, o.Initial)
	}
	if o.number != 7 || !o.at.Equal(time.Unix(20, 0)) {
		t.Errorf("number %d at %v, want the first one's", o.number, o.at)
	}
}

package engine

import (
	"fmt"
	"slices"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/engine/timetable"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// A list that is compared shows what has changed without a new version, and nothing else is
// queued because of it.
func TestAComparedListShowsWhatChangedAtAKnownVersion(t *testing.T) {
	for _, shown := range []bool{false, true} {
		t.Run(fmt.Sprint("shown: ", shown), func(t *testing.T) {
			h := newHandFed(t, Options[note]{ShowUnchanged: shown, Indexers: byText})
			h.list(reflector.Replacement{Version: "5"}, note{"a", "1", "x"}, note{"b", "2", "y"}, note{"c", "3", "z"})
			h.apply()
			h.list(reflector.Replacement{Version: "6", Compared: true}, note{"a", "1", "x"}, note{"b", "2", "new"})
			if n := len(h.fifo.pending.items); !shown && n != 2 {
				t.Errorf("%d deltas are pending, want one update and one deletion", n)
			}
			want := []string{"Updated y→new", "Deleted z→"}
			if shown {
				want = append([]string{"Sync x→x"}, want...)
			}
			h.wantTold("a list that is compared", want...)
			if found, err := h.Store().ByIndex("text", "new"); err != nil || len(found) != 1 {
				t.Errorf("the index finds %v (error %v)", found, err)
			}
			h.list(reflector.Replacement{Version: "7", Compared: true}, note{"a", "1", "x"}, note{"b", "2", "new"})
			if !shown {
				h.wantTold("the same list again")
			}
		})
	}
}

// An object that a watch brings is stored and told even if the server gives it no new
// version, and can be found by what it says now.
func TestEventAtAKnownVersionIsStored(t *testing.T) {
	h := newHandFed(t, Options[note]{Indexers: byText})
	find := func(text string) {
		t.Helper()
		if found, err := h.Store().ByIndex("text", text); err != nil || len(found) != 1 || found[0].text != text {
			t.Errorf("the index finds %v (error %v), want what says %s", found, err, text)
		}
	}
	h.list(reflector.Replacement{Version: "5"}, note{"a", "1", "x"})
	h.wantTold("the first list", "Added →x")
	h.push(delta.Updated, note{"a", "1", "y"})
	h.wantTold("an event at a known version", "Updated x→y")
	find("y")
	h.push(delta.Added, note{"a", "1", "z"})
	h.wantTold("an object that is said to be new", "Updated y→z")
	find("z")
	h.push(delta.Updated, note{"a", "1", "z"})
	h.wantTold("an event that repeats another")
	h.list(reflector.Replacement{Version: "6"}, note{"a", "1", "other"})
	h.wantTold("a list at a known version, which is believed")
	h.list(reflector.Replacement{Version: "4", NewHistory: true}, note{"a", "1", "restored"})
	h.wantTold("a list of another history", "Updated z→restored")
	find("restored")
}

// A Sync that meets an event which turns out to repeat another shows the object to those
// who asked. Those of resyncs are kept apart, by who asked.
func TestSyncThatMeetsARepeatedEventIsShown(t *testing.T) {
	one, other := &delta.Origin{Resync: &delta.ResyncTerms{}}, &delta.Origin{Resync: &delta.ResyncTerms{OnDemand: true}}
	number := map[*delta.ResyncTerms]int{one.Resync: 1, other.Resync: 2}
	h := newHandFed(t, Options[note]{})
	h.list(reflector.Replacement{Version: "5"}, note{"a", "1", "x"}, note{"b", "1", "x"}, note{"c", "1", "x"})
	h.apply()

	h.push(delta.Updated, note{"a", "1", "x"})
	h.push(delta.Updated, note{"b", "1", "x"})
	h.push(delta.Updated, note{"c", "2", "y"})
	f, a, b, c := h.fifo, delta.Key{Name: "a"}, delta.Key{Name: "b"}, delta.Key{Name: "c"}
	f.sync([]delta.Key{a, b, c}, &timetable.Audience{Members: []uint32{1}}, one)
	f.sync([]delta.Key{a}, &timetable.Audience{Members: []uint32{2}}, one)
	f.sync([]delta.Key{b}, &timetable.Audience{Members: []uint32{2}}, other)
	var got []string
	for _, e := range h.apply() {
		to := "all"
		if e.to != timetable.Everyone {
			to = fmt.Sprint(e.to.Members)
		}
		got = append(got, fmt.Sprint(e.Op, " ", e.Key, " to ", to, " for ", number[e.Resync()]))
	}
	want := []string{"Updated c to all for 0", "Sync a to [1 2] for 1", "Sync b to [1] for 1", "Sync c to [1] for 1", "Sync b to [2] for 2"}
	if !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

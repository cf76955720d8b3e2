package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/internal/engine/timetable"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// TestWhatIsKeptOfALentListIsDetached sees that a list which lends its objects is
// not kept in memory by those that the queue keeps, and that the others are not
// copied.
func TestWhatIsKeptOfALentListIsDetached(t *testing.T) {
	copied := map[string]int{}
	traits := store.Traits[*cell]{
		Key:     func(c *cell) (delta.Key, error) { return delta.ParseKey(c.name), nil },
		Version: func(c *cell) string { return fmt.Sprint(c.version) },
		UID:     func(*cell) string { return "" },
		Detach: func(c *cell) *cell {
			copied[c.name]++
			detached := *c
			return &detached
		},
	}
	f := NewDeltaFIFO(&Options[*cell]{Traits: traits}, store.New(traits, nil))
	in := f.Open("", nil, nil)
	for _, list := range [][]cell{{{name: "a/x", version: 1}, {name: "a/y", version: 1}}, {{name: "a/x", version: 1}, {name: "a/y", version: 2}}} {
		objs := []*cell{&list[0], &list[1]}
		if err := in.Replace(objs, reflector.Replacement{Version: "1", Lent: true, Keys: keysOf(t, traits.Key, objs)}); err != nil {
			t.Fatal(err)
		}
		if f.pending.has(delta.Key{Namespace: "a", Name: "x"}) == (copied["a/y"] == 2) {
			t.Error("an unchanged object is queued, or a new one is not")
		}
		if f.busy {
			break // the second list is compared with what is in somebody's hands
		}
		batch, _ := f.Next()
		for d := range batch.Deltas() {
			if d.New == &list[0] || d.New == &list[1] {
				t.Errorf("%s keeps the list that it came in", d.Key)
			}
		}
	}
	if copied["a/x"] != 1 || copied["a/y"] != 2 {
		t.Errorf("objects were copied %v times, want the unchanged one once and the other twice", copied)
	}
}

// A change that is pending stands for a Sync that nobody asked for. It does not for one of
// a resync, because a subscriber may hold the change back, whether it turns out to be one
// or to repeat what is known.
func TestAPendingChangeDoesNotStandForAResync(t *testing.T) {
	i := New[faulty.Thing](forbidden{}, Options[faulty.Thing]{Name: "things", Traits: thingTraits, ShowUnchanged: true})
	feed := i.coverage.Load().scopes[0].inlet
	asked := &delta.Origin{Resync: &delta.ResyncTerms{OnDemand: true}}
	play := func(change func() error) string {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		i.fifo.sync([]delta.Key{{Name: "a"}}, timetable.Everyone, nil)
		i.fifo.sync([]delta.Key{{Name: "a"}}, &timetable.Audience{Members: []uint32{1}}, asked)
		batch, _ := i.fifo.Next()
		var b strings.Builder
		for _, e := range i.controller.apply(batch) {
			fmt.Fprintf(&b, "%s of %s, asked for: %t\n", e.Op, e.New.Version, e.Resync() != nil)
		}
		i.fifo.release()
		return b.String()
	}
	for n, tt := range []struct {
		change func() error
		want   string
	}{
		{func() error {
			return feed.Replace([]faulty.Thing{{Name: "a", Version: "1"}}, reflector.Replacement{Version: "5", Keys: []delta.Key{{Name: "a"}}})
		}, "Added of 1, asked for: false\nSync of 1, asked for: true\n"},
		{func() error {
			return feed.Push(delta.Delta[faulty.Thing]{Op: delta.Updated, New: faulty.Thing{Name: "a", Version: "6"}, Version: "6"}, "6")
		}, "Updated of 6, asked for: false\nSync of 6, asked for: true\n"},
		{func() error {
			return feed.Push(delta.Delta[faulty.Thing]{Op: delta.Updated, New: faulty.Thing{Name: "a", Version: "6"}, Version: "6"}, "6")
		}, "Sync of 6, asked for: false\nSync of 6, asked for: true\n"},
		{func() error {
			return feed.Push(delta.Delta[faulty.Thing]{Op: delta.Deleted, New: faulty.Thing{Name: "a", Version: "7"}, Version: "7"}, "7")
		}, "Deleted of 7, asked for: false\n"},
	} {
		if got := play(tt.change); got != tt.want {
			t.Errorf("change %d: told\n%swant\n%s", n, got, tt.want)
		}
	}
}

// manyScopes are in step, except for one that can't be listed.
func manyScopes(t *testing.T, number int) (*DeltaFIFO[faulty.Thing], []*Inlet[faulty.Thing]) {
	t.Helper()
	f := NewDeltaFIFO(&Options[faulty.Thing]{Traits: thingTraits}, store.New(thingTraits, nil))
	var all []*Inlet[faulty.Thing]
	for n := range number {
		all = append(all, f.Open(fmt.Sprint("n", n), nil, nil))
	}
	f.found()
	for n, in := range all[1:] {
		if err := in.Replace(nil, reflector.Replacement{Version: fmt.Sprint(100 + n)}); err != nil {
			t.Fatal(err)
		}
	}
	all[0].degraded()
	popAll(f)
	return f, all
}

func popAll(f *DeltaFIFO[faulty.Thing]) string {
	f.Next()
	version := f.out.version
	f.release()
	return version
}

// An event has to do with the scope that it is of, and with those that are not there yet. How many
// others there are makes no difference.
func TestAnEventHasToDoWithItsOwnScope(t *testing.T) {
	f, all := manyScopes(t, 1000)
	for n, want := range []string{"101", "102", "103"} { // each in turn is the furthest behind
		if err := all[n+1].Bookmark(fmt.Sprint(9000 + n)); err != nil {
			t.Fatal(err)
		}
		if moved, waiting := len(f.scopes.moved), len(f.scopes.waiting); moved != 1 || waiting != 1 {
			t.Errorf("%d scopes have moved, and %d wait for their first list", moved, waiting)
		}
		if got := popAll(f); got != want {
			t.Errorf("the scope that was furthest behind has moved, and the union is at %s, want %s", got, want)
		}
	}
}

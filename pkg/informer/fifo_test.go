package informer

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

func TestDeletionOfTheUnknownStillBringsItsVersion(t *testing.T) {
	f := NewDeltaFIFO(FIFOOptions[cell]{Traits: cellTraits})
	if err := f.Push(delta.Deleted, cell{name: "a/x", version: 7}, "7"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	select {
	case <-f.ready:
	case <-ctx.Done():
		t.Fatal("nobody is told that there is a version to take out")
	}
	batch, err := f.Pop(ctx)
	if err != nil || batch.Len() != 0 || batch.version != "7" {
		t.Errorf("popped %d deltas up to version %q, %v", batch.Len(), batch.version, err)
	}
	f.Release()
}

// TestWhatIsKeptOfALentListIsDetached sees that a list which lends its objects is
// not kept in memory by those that the queue keeps, and that the others are not
// copied.
func TestWhatIsKeptOfALentListIsDetached(t *testing.T) {
	copied := map[string]int{}
	f := NewDeltaFIFO(FIFOOptions[*cell]{Traits: delta.Traits[*cell]{
		Key:     func(c *cell) (delta.Key, error) { return delta.ParseKey(c.name), nil },
		Version: func(c *cell) string { return fmt.Sprint(c.version) },
		UID:     func(*cell) string { return "" },
		Detach: func(c *cell) *cell {
			copied[c.name]++
			detached := *c
			return &detached
		},
	}})
	for _, list := range [][]cell{{{name: "a/x", version: 1}, {name: "a/y", version: 1}}, {{name: "a/x", version: 1}, {name: "a/y", version: 2}}} {
		if err := f.Replace([]*cell{&list[0], &list[1]}, Replacement{Version: "1", Lent: true}); err != nil {
			t.Fatal(err)
		}
		if f.pending.has(delta.Key{Namespace: "a", Name: "x"}) == (copied["a/y"] == 2) {
			t.Error("an unchanged object is queued, or a new one is not")
		}
		if f.busy {
			break // the second list is compared with what is in somebody's hands
		}
		batch, err := f.Pop(t.Context())
		if err != nil {
			t.Fatal(err)
		}
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

// What a relist shows is told as such, but for the first list, which is Initial.
func TestRelistedIsWhatARelistShows(t *testing.T) {
	i := New[thing](forbidden{}, Options[thing]{Name: "things", Traits: thingTraits})
	feed := i.coverage.Load().scopes[0].inlet
	told := func() string {
		batch, _, err := i.fifo.tryPop()
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, e := range i.controller.apply(batch) {
			fmt.Fprintf(&b, "%s %s initial=%t relisted=%t missed=%t\n", e.Op, e.Key, e.Initial, e.Relisted, e.Missed)
		}
		i.fifo.Release()
		return b.String()
	}
	list := func(version string, objs ...thing) {
		if err := feed.Replace(objs, Replacement{Version: version}); err != nil {
			t.Fatal(err)
		}
	}
	list("5", thing{"a", "1"}, thing{"b", "2"}, thing{"c", "3"})
	if got, want := told(), "Added a initial=true relisted=false missed=false\n"+
		"Added b initial=true relisted=false missed=false\nAdded c initial=true relisted=false missed=false\n"; got != want {
		t.Errorf("of the first list:\n%swant\n%s", got, want)
	}
	if err := feed.Push(delta.Updated, thing{"a", "6"}, "6"); err != nil {
		t.Fatal(err)
	}
	if got, want := told(), "Updated a initial=false relisted=false missed=false\n"; got != want {
		t.Errorf("of an event:\n%swant\n%s", got, want)
	}
	list("9", thing{"a", "8"}, thing{"b", "2"}, thing{"d", "9"})
	if got, want := told(), "Updated a initial=false relisted=true missed=false\n"+
		"Added d initial=false relisted=true missed=false\nDeleted c initial=false relisted=false missed=true\n"; got != want {
		t.Errorf("of a relist:\n%swant\n%s", got, want)
	}
}

// A Sync that different resyncs ask for, or a resync and a relist, is of none of them
// in particular; one that the same resync asks for twice is its own.
func TestSyncsThatMergeHaveOneOriginOrNone(t *testing.T) {
	f := NewDeltaFIFO(FIFOOptions[cell]{Traits: cellTraits})
	one, other := &delta.Origin{Resync: &delta.ResyncTerms{Lane: 1}}, &delta.Origin{Resync: &delta.ResyncTerms{Lane: 2}}
	a, b, c := delta.Key{Name: "a"}, delta.Key{Name: "b"}, delta.Key{Name: "c"}
	first, second := &audience{members: []uint32{1}}, &audience{members: []uint32{2}}
	f.sync([]delta.Key{a, b, c}, first, one)
	f.sync([]delta.Key{a}, second, one)
	f.sync([]delta.Key{b}, second, other)
	f.sync([]delta.Key{c}, second, nil)
	batch, ok, err := f.tryPop()
	if !ok || err != nil || batch.Len() != 3 {
		t.Fatalf("popped %d, %t, %v", batch.Len(), ok, err)
	}
	for i, want := range []*delta.Origin{one, nil, nil} {
		if it := batch.items[i]; it.origin != want || len(it.to.members) != 2 {
			t.Errorf("the Sync of %s for %v is of %+v, want %+v", it.key, it.to.members, it.origin, want)
		}
	}
}

// TestScopeMayBeReadBeforeListenersHear pops the first list of a scope and shows it:
// whoever is then told of its objects may read them.
func TestScopeMayBeReadBeforeListenersHear(t *testing.T) {
	f := newFIFO(FIFOOptions[cell]{Traits: cellTraits})
	in := f.open(newReach("a", nil), nil)
	if err := in.replace([]cell{{name: "a/x", version: 1}}, Replacement{Version: "1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Pop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if in.isSynced.Load() {
		t.Error("a scope may be read before its objects are in the store")
	}
	f.shown()
	if !in.isSynced.Load() {
		t.Error("a scope may not be read when listeners are told of it")
	}
	f.Release()
}

package engine

import (
	"fmt"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/reflector"
	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
)

// manyScopes are in step, except for one that can't be listed.
func manyScopes(t *testing.T, number int) (*DeltaFIFO[faulty.Thing], []*inlet[faulty.Thing]) {
	t.Helper()
	f := newFIFO(FIFOOptions[faulty.Thing]{Traits: thingTraits})
	var all []*inlet[faulty.Thing]
	for n := range number {
		all = append(all, f.open(newReach(fmt.Sprint("n", n), nil), nil))
	}
	f.found()
	for n, in := range all[1:] {
		if err := in.Replace(nil, reflector.Replacement{Version: fmt.Sprint(100 + n)}); err != nil {
			t.Fatal(err)
		}
	}
	all[0].degraded()
	popAll(t, f)
	return f, all
}

func popAll(t *testing.T, f *DeltaFIFO[faulty.Thing]) string {
	t.Helper()
	if _, _, err := f.tryPop(); err != nil {
		t.Fatal(err)
	}
	version := f.out.version
	f.Release()
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
		if got := popAll(t, f); got != want {
			t.Errorf("the scope that was furthest behind has moved, and the union is at %s, want %s", got, want)
		}
	}
}

package informer

import (
	"context"
	"fmt"
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

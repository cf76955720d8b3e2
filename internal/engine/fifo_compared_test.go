package engine

import (
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/reflector"
)

// A list that is compared shows what has changed without a new version, and nothing else is
// queued because of it.
func TestAComparedListShowsWhatChangedAtAKnownVersion(t *testing.T) {
	for name, unchanged := range map[string]Unchanged{"skip": SkipUnchanged, "show": SyncUnchanged} {
		t.Run(name, func(t *testing.T) {
			h := newHandFed(t, Options[note]{Unchanged: unchanged, Indexers: byText})
			h.list(reflector.Replacement{Version: "5"}, note{"a", "1", "x"}, note{"b", "2", "y"}, note{"c", "3", "z"})
			h.apply()
			h.list(reflector.Replacement{Version: "6", Compared: true}, note{"a", "1", "x"}, note{"b", "2", "new"})
			if n := len(h.fifo.pending.items); unchanged == SkipUnchanged && n != 2 {
				t.Errorf("%d deltas are pending, want one update and one deletion", n)
			}
			want := []string{"Updated y→new", "Deleted z→"}
			if unchanged == SyncUnchanged {
				want = append([]string{"Sync x→x"}, want...)
			}
			h.wantTold("a list that is compared", want...)
			if found, err := h.Store().ByIndex("text", "new"); err != nil || len(found) != 1 {
				t.Errorf("the index finds %v (error %v)", found, err)
			}
			h.list(reflector.Replacement{Version: "7", Compared: true}, note{"a", "1", "x"}, note{"b", "2", "new"})
			if unchanged == SkipUnchanged {
				h.wantTold("the same list again")
			}
		})
	}
}

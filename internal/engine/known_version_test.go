package engine

import (
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/reflector"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

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

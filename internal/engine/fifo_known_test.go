package engine

import (
	"slices"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/reflector"
)

// A server may show an object twice, as between two pages that it put together from
// different moments. That must not hide that another one is gone.
func TestListWithAnObjectTwiceHidesNoDeletion(t *testing.T) {
	for name, list := range map[string][]note{
		"side by side": {{"a", "1", "a"}, {"a", "1", "a"}},
		"far apart":    {{"ns/a", "1", "a"}, {"a", "1", "a"}, {"ns/a", "1", "a"}},
		"out of order": {{"ns/b", "1", "b"}, {"ns/a", "1", "a"}, {"ns/b", "1", "b"}},
		"namespaces":   {{"n1/a", "1", "a"}, {"n2/a", "1", "a"}, {"n1/a", "1", "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHandFed(t, Options[note]{})
			first := append(slices.Clone(list[:len(list)-1]), note{"gone", "1", "gone"})
			h.list(reflector.Replacement{Version: "5"}, first...)
			h.apply()
			h.list(reflector.Replacement{Version: "6"}, list...)
			h.wantTold("a list that has an object twice", "Deleted gone→")
		})
	}
}

// The last entry counts of an object that a list has twice.
func TestListWithTwoStatesOfAnObject(t *testing.T) {
	h := newHandFed(t, Options[note]{})
	h.list(reflector.Replacement{Version: "5"}, note{"a", "2", "new"})
	h.apply()
	h.list(reflector.Replacement{Version: "6"}, note{"a", "1", "old"}, note{"b", "1", "old"}, note{"a", "2", "new"}, note{"b", "3", "new"})
	h.wantTold("a list with two states", "Added →new")
}

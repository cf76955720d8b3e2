package engine

import (
	"errors"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/faulty"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// An object that is refused while a list is streamed, and then changes or goes, is in
// the list as it was last.
func TestRefusedInAStreamIsWhatItWasLast(t *testing.T) {
	list := newSnapshot[faulty.Thing]()
	b := delta.Key{Name: "b"}
	check := func(what string, refused, taken int) {
		t.Helper()
		if r := list.describe(Replacement{}); len(r.Refused) != refused || len(list.objs) != taken || r.Partial {
			t.Errorf("%s: refused are %v, taken %v, partial: %t", what, r.Refused, list.objs, r.Partial)
		}
	}
	list.refuse(b)
	list.refuse(b)
	check("refused twice", 1, 0)
	list.put(b, faulty.Thing{Name: "b", Version: "8"})
	check("taken in the end", 0, 1)
	list.refuse(b)
	check("refused after it was taken", 0, 1)
	list.drop(b)
	check("gone", 0, 0)
	list.refuse(b)
	list.drop(b)
	check("refused and gone", 0, 0)
}

// The deletion of an object that cannot be transformed is a deletion all the same.
func TestDeletionThatATransformRefusesIsNotLost(t *testing.T) {
	h := newHandFed(t, Options[note]{Transform: func(n note) (note, error) {
		if n.text == "poison" {
			return n, errors.New("cannot be transformed")
		}
		return n, nil
	}})
	h.list(Replacement{Version: "5"}, note{"a", "1", "x"})
	h.apply()
	if err := h.in.Push(delta.Deleted, note{"a", "7", "poison"}, "7"); err == nil {
		t.Error("nobody is told that the final state could not be transformed")
	}
	if err := h.in.Push(delta.Deleted, note{"b", "8", "poison"}, "8"); err == nil {
		t.Error("nobody is told of what could not be transformed")
	}
	events := h.apply()
	if len(events) != 1 || events[0].Op != delta.Deleted || !events[0].Missed || events[0].Old.text != "x" {
		t.Errorf("told %+v, want a missed deletion with the last known state", events)
	}
	if h.Store().Len() != 0 || h.Store().Version() != "8" {
		t.Errorf("%d objects are left at version %s", h.Store().Len(), h.Store().Version())
	}
}

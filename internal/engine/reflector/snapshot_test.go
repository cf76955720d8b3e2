package reflector

import (
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
		if len(list.refused) != refused || len(list.objs) != taken || list.Partial {
			t.Errorf("%s: refused are %v, taken %v, partial: %t", what, list.refused, list.objs, list.Partial)
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

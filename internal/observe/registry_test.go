package observe

import (
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/journal"
)

// hooked is a cache of a user's: a struct that can't be a key of a map.
type hooked struct{ _ map[string]func() }

// TestCachesOfAnySort adds controllers of caches that are pointers, and of one that can't be compared.
// Each gets the journal of its own cache.
func TestCachesOfAnySort(t *testing.T) {
	mine, other := new(int), new(int)
	in := journal.New(journal.Limits{})
	defer Record(mine, in)()
	got := map[string]*journal.Journal{}
	for name, of := range map[string]any{"mine": mine, "other": other, "none": nil, "hooked": hooked{}} {
		remove := AddController(&Controller{Name: name, Cache: of, Record: func(in *journal.Journal) { got[name] = in }})
		t.Cleanup(remove)
	}
	later := journal.New(journal.Limits{})
	defer Record(other, later)()
	if got["mine"] != in || got["other"] != later || got["none"] != nil || got["hooked"] != nil {
		t.Errorf("the journals are %v, want %p for mine and %p for other", got, in, later)
	}
}

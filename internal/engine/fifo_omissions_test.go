package engine

import (
	"errors"
	"fmt"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/reflector"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// The next delta after a state that was left out says so, once for each object, until a
// list shows everything.
func TestUpdatesSayWhatWasLeftOutBeforeThem(t *testing.T) {
	refusing := func(n note) (note, error) {
		if n.text == "bad" {
			return n, errors.New("as the test wants it")
		}
		return n, nil
	}
	a, b := note{"a", "1", "x"}, note{"b", "1", "x"}
	refuse := func(h *handFed) {
		_ = h.in.Push(delta.Delta[note]{Op: delta.Updated, New: note{"a", "2", "bad"}, Version: "2"}, "2")
	}
	unread := func(h *handFed) { h.in.omitAny() }
	for name, tt := range map[string]struct {
		left func(*handFed)
		want string
	}{
		"nothing":                {func(*handFed) {}, "a:false b:false a:false"},
		"a state of one":         {refuse, "a:true b:false a:false"},
		"a state of some object": {unread, "a:true b:true a:false"},
		"again and again":        {func(h *handFed) { unread(h); h.push(delta.Updated, note{"b", "3", "y"}); unread(h) }, "b:true a:true b:true a:false"},
		"before it was deleted":  {func(h *handFed) { refuse(h); h.push(delta.Deleted, note{"a", "3", "x"}) }, "a:false a:false b:false a:false"},
		"before a list":          {func(h *handFed) { refuse(h); unread(h); h.list(reflector.Replacement{Version: "5"}, a, b) }, "a:false b:false a:false"},
		"what a list lacks":      {func(h *handFed) { h.list(reflector.Replacement{Version: "5", Partial: true}, b) }, "a:true b:false a:false"},
		"what a list refuses":    {func(h *handFed) { h.list(reflector.Replacement{Version: "5"}, note{"a", "5", "bad"}, b) }, "a:true b:false a:false"},
		"what was not ingested":  {func(h *handFed) { h.list(reflector.Replacement{Version: "5", Refused: []delta.Key{{Name: "a"}}}, b) }, "a:true b:false a:false"},
	} {
		h := newHandFed(t, Options[note]{Transform: refusing})
		h.list(reflector.Replacement{Version: "1"}, a, b)
		h.apply()
		tt.left(h)
		h.push(delta.Updated, note{"a", "10", "y"})
		h.push(delta.Updated, note{"b", "11", "z"})
		h.push(delta.Updated, note{"a", "12", "z"})
		got := ""
		for _, e := range h.apply() {
			got += fmt.Sprintf(" %s:%t", e.Key, e.Relisted)
		}
		if got != " "+tt.want {
			t.Errorf("left out %s: marked%s, want %s", name, got, tt.want)
		}
	}
}

// The memory has a bound. Beyond it everything may have been left out.
func TestOmissionsAreBounded(t *testing.T) {
	var o omissions
	for i := range maxOmissions + 1 {
		o.of(delta.Key{Name: fmt.Sprint(i)})
	}
	if len(o.keys) != maxOmissions || !o.before(delta.Key{Name: "other"}) || o.before(delta.Key{Name: "other"}) {
		t.Errorf("%d keys, and whether any may be meant is %t", len(o.keys), o.any)
	}
	for i := range maxOmissions + 1 {
		o.before(delta.Key{Name: fmt.Sprint("sure", i)})
	}
	if len(o.sure) != maxOmissions {
		t.Errorf("%d are remembered to be sure of", len(o.sure))
	}
}

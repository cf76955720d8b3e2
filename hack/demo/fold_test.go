package main

import (
	"bytes"
	"strings"
	"testing"
)

// call is a call that had nothing to write.
func call(name string, changes ...string) entry {
	e := entry{Message: reconciled, Namespace: "demo", Name: name}
	for _, change := range changes {
		e.Changes = append(e.Changes, cause{Change: change})
	}
	return e
}

func TestCallsForNothingAreOneLine(t *testing.T) {
	var out bytes.Buffer
	p := newPrinter(&out, false)
	p.fold()
	p.fold()
	if out.Len() > 0 {
		t.Errorf("folded calls are shown before the next line: %q", out.String())
	}
	p.note("next")
	want := strings.Repeat(" ", len(timeFormat)) + " + calls with nothing to write: 2\n   next\n"
	if got := out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	p.show()
	if got := out.String(); got != want {
		t.Errorf("they are shown twice:\n%s", got)
	}
}

func TestWhatMattersIsNotFolded(t *testing.T) {
	wrote := call("blog", "Owned Service demo/blog Deleted")
	wrote.Wrote = []string{"Service/blog"}
	unsure := call("blog", "Owned Service demo/blog Added")
	unsure.Incomplete = "the operator has just started"
	for name, c := range map[string]struct {
		call entry
		want bool
	}{
		"it wrote":            {wrote, false},
		"it may know too few": {unsure, false},
		"it knows nothing":    {call("blog"), false},
		"the Site changed":    {call("blog", "Owned Service demo/blog Added", "Primary Site demo/blog Updated"), false},
		"a child changed":     {call("blog", "Owned Service demo/blog Updated"), true},
		"a resync":            {call("blog", "Resync Site demo/blog"), true},
	} {
		if got := c.call.foldable(); got != c.want {
			t.Errorf("%s: folded %t, want %t", name, got, c.want)
		}
	}
	var j journal
	j.begin([]clue{{object: "demo/blog", change: "Owned Service"}})
	if j.add(call("shop", "Owned Service demo/shop Deleted")) || !j.add(call("blog", "Owned Service demo/blog Deleted")) {
		t.Error("the journal does not know that the chapter waits for this call")
	}
	if clue, missing := j.missing(); missing {
		t.Errorf("%+v is missing, although it was there", clue)
	}
}

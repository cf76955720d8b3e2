package main

import (
	"bytes"
	"strings"
	"testing"
)

// call is a call that had nothing to write.
func call(name, steps string, changes ...string) entry {
	e := entry{Message: reconciled, Namespace: "demo", Name: name, outcome: outcome{Steps: steps}}
	for _, change := range changes {
		e.Changes = append(e.Changes, cause{Change: change})
	}
	return e
}

func TestCallsForNothingAreOneLine(t *testing.T) {
	var out bytes.Buffer
	p := newPrinter(&out, false)
	p.fold(call("blog", "deployment,status", "Owned Deployment demo/blog Updated ×3 by kube-controller-manager"), 4)
	p.fold(call("blog", "status", "Owned Deployment demo/blog Updated", "Owned ConfigMap demo/blog-files Updated ×2 by sample-operator"), 4)
	p.fold(call("blog", "claims", "Resync"), 4)
	if out.Len() > 0 {
		t.Errorf("collected calls are shown before the next line: %q", out.String())
	}
	p.note("next")
	want := strings.Repeat(" ", len(timeFormat)) +
		" + 3 calls of demo/blog with nothing to write: Owned Deployment Updated ×2, Resync ×1, own write of ConfigMap ×1  (ran 1 of 8 steps)\n   next\n"
	if got := out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	p.show()
	if got := out.String(); got != want {
		t.Errorf("they are shown twice:\n%s", got)
	}
}

func TestManySortsAndSitesAreCounted(t *testing.T) {
	var f fold
	f.add(call("a", "", "Owned A x Added", "Owned B x Added", "Owned C x Added", "Owned D x Added", "Owned E x Added"), 0)
	f.add(call("b", "", "Owned E x Added"), 0)
	got := strings.TrimSpace(plain(strings.Join(folded(f), "\n")))
	if want := "+ 2 calls of 2 Sites with nothing to write: Owned E Added ×2, Owned A Added ×1, Owned B Added ×1, 2 others"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if lines := folded(fold{}); len(lines) > 0 {
		t.Errorf("nothing is shown as %q", lines)
	}
}

func TestWhatMattersIsNotFolded(t *testing.T) {
	wrote := call("blog", "status", "Owned Service demo/blog Deleted")
	wrote.Wrote = []string{"Service/blog"}
	unsure := call("blog", "status", "Owned Service demo/blog Added")
	unsure.Incomplete = "the operator has just started"
	for name, c := range map[string]struct {
		call entry
		want bool
	}{
		"it wrote":            {wrote, false},
		"it may know too few": {unsure, false},
		"it knows nothing":    {call("blog", "status"), false},
		"the Site changed":    {call("blog", "status", "Owned Service demo/blog Added", "Primary Site demo/blog Updated"), false},
		"a child changed":     {call("blog", "status", "Owned Service demo/blog Updated"), true},
		"a resync":            {call("blog", "status", "Resync Site demo/blog"), true},
	} {
		if got := c.call.foldable(); got != c.want {
			t.Errorf("%s: folded %t, want %t", name, got, c.want)
		}
	}
	var j journal
	j.begin([]clue{{object: "demo/blog", change: "Owned Service"}})
	if j.add(call("shop", "", "Owned Service demo/shop Deleted")) || !j.add(call("blog", "", "Owned Service demo/blog Deleted")) {
		t.Error("the journal does not know that the chapter waits for this call")
	}
	if clue, missing := j.missing(); missing {
		t.Errorf("%s is missing, although it was there", clue)
	}
}

func TestTheSumIsOfAllChapters(t *testing.T) {
	var j journal
	first := call("blog", "hostname,files,deployment,service,status", "Primary Site demo/blog Added")
	first.Wrote, first.Took = []string{"ConfigMap/a", "Service/b"}, "120.5ms"
	j.add(first)
	j.begin(nil)
	second := call("blog", "status", "Owned Service demo/blog Added")
	second.Took = "3ms"
	j.add(second)
	j.add(call("blog", "claims", "Primary Site demo/blog Deleted"))
	var got []string
	for _, r := range results(j.totals()) {
		got = append(got, r[0]+": "+r[1])
	}
	want := []string{
		"calls: 3: 1 wrote 2 objects, 2 nothing but a status at most",
		"steps: 4 of 8 ran; for the others no change gave a reason",
		"duration: the longest call took 120.5ms",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

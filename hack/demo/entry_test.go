package main

import "testing"

func TestClues(t *testing.T) {
	e := entry{
		Message: reconciled, Namespace: "demo", Name: "blog",
		outcome: outcome{Wrote: []string{"Deployment/blog"}, Changes: []cause{
			{Change: "Owned Service demo/blog Deleted"},
			{Change: "Primary Site demo/blog Updated ×2 by me", Diff: []string{"+spec.files[a]=\"b\"", "spec.replicas: 1 → 2"}},
		}},
	}
	for _, c := range []struct {
		name string
		clue clue
		want bool
	}{
		{"all of it", clue{"demo/blog", "Primary Site demo/blog Updated", "spec.replicas", "Deployment/blog"}, true},
		{"an addition", clue{change: "Primary Site", path: "spec.files[a]"}, true},
		{"any change", clue{object: "demo/blog"}, true},
		{"another object", clue{object: "demo/shop"}, false},
		{"another cause", clue{change: "Owned Deployment"}, false},
		{"another path", clue{change: "Primary Site", path: "spec.image"}, false},
		{"a path of another change", clue{change: "Owned Service", path: "spec.replicas"}, false},
		{"nothing written", clue{change: "Primary Site", wrote: "Service/blog"}, false},
	} {
		if got := c.clue.fits(e); got != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
	}
	e.Message = "Reconciler error"
	if (clue{}).fits(e) {
		t.Error("a line that is not the end of a reconcile fits")
	}
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTry(t *testing.T) {
	root, err := filepath.Abs("testdata/toy")
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile("testdata/toy/toy.go")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // after all mutants
		if after, err := os.ReadFile("testdata/toy/toy.go"); err != nil || !bytes.Equal(after, before) {
			t.Error("the file itself was changed", err)
		}
	})
	good := suite{pkg: ".", run: "TestLarger", seeds: 5}
	// with replaces lines of the toy, each by its number.
	with := func(s suite, lines map[int]string) mutant {
		return mutant{name: "toy", patch: patchOf(t, lines), files: []string{"toy.go"}, suites: []suite{s}}
	}
	for name, c := range map[string]struct {
		mutant   mutant
		unbroken verdict
		want     verdict
		by       string
	}{
		"caught":          {with(good, map[int]string{6: "if a < b {"}), sound, caught, "TestLarger/seed=0"},
		"caught late":     {with(good, map[int]string{6: "if a > 4 {"}), sound, caught, "TestLarger/seed=4"},
		"panics":          {with(good, map[int]string{7: "panic(a)"}), sound, caught, "TestLarger"},
		"survives":        {with(good, map[int]string{14: "if a > b {"}), sound, survived, ""},
		"two edits":       {with(good, map[int]string{6: "if a >= b {", 9: "return a"}), sound, caught, "TestLarger/seed=0"},
		"stale":           {mutant{patch: []byte(strings.Replace(string(patchOf(t, nil)), " package toy", "-package other", 1)), files: []string{"toy.go"}, suites: []suite{good}}, sound, stale, "apply"},
		"no such file":    {mutant{files: []string{"none.go"}, suites: []suite{good}}, sound, stale, "none.go"},
		"does not build":  {with(good, map[int]string{6: "if a > c {"}), sound, unbuilt, "undefined: c"},
		"matches no test": {with(suite{pkg: ".", run: "TestNone"}, map[int]string{6: "if a < b {"}), broken, broken, "no test"},
		"fails unbroken":  {with(suite{pkg: "./broken", run: "."}, map[int]string{6: "if a < b {"}), unsound, caught, "TestFails"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &lab{root: root, scratch: t.TempDir()}
			var results []result
			ok := l.try(t.Context(), []mutant{c.mutant}, func(r result) { results = append(results, r) })
			if len(results) != 2 || results[0].verdict != c.unbroken {
				t.Fatalf("unbroken, the tests gave %v, want %s", results, c.unbroken)
			}
			if got := results[1]; got.verdict != c.want || !strings.Contains(got.by, c.by) {
				t.Errorf("got %s by %q, want %s by %q", got.verdict, got.by, c.want, c.by)
			}
			if fine := c.unbroken == sound && c.want == caught; ok != fine {
				t.Errorf("all is well: %v, want %v", ok, fine)
			}
		})
	}
}

// patchOf is a patch of the toy that replaces some lines, each by its number.
func patchOf(t *testing.T, lines map[int]string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/toy/toy.go")
	if err != nil {
		t.Fatal(err)
	}
	old := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	var b bytes.Buffer
	fmt.Fprintf(&b, "diff --git a/toy.go b/toy.go\n--- a/toy.go\n+++ b/toy.go\n@@ -1,%d +1,%d @@\n", len(old), len(old))
	for i, line := range old {
		if instead, ok := lines[i+1]; ok {
			fmt.Fprintf(&b, "-%s\n+%s\n", line, instead)
		} else {
			fmt.Fprintf(&b, " %s\n", line)
		}
	}
	return b.Bytes()
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l := &lab{root: "testdata/toy", scratch: t.TempDir()}
	if r := l.unbroken(ctx, suite{pkg: ".", run: "."}); r.fine() {
		t.Error("an interrupted run counts as", r.verdict)
	}
}

func TestVerdicts(t *testing.T) {
	for verdict, ok := range map[verdict]bool{caught: true, sound: true, survived: false, stale: false, unbuilt: false, unsound: false, broken: false} {
		r := result{mutant: "toy", verdict: verdict}
		if r.fine() != ok || !strings.Contains(r.String(), string(verdict)) {
			t.Errorf("a mutant that is %s is fine: %v, want %v; it is told as %s", verdict, r.fine(), ok, r)
		}
	}
}

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTry(t *testing.T) {
	root, err := filepath.Abs("testdata/toy")
	if err != nil {
		t.Fatal(err)
	}
	good := suite{pkg: ".", run: "TestLarger", seeds: 5}
	with := func(old, replacement string, s suite) mutant {
		return mutant{name: "toy", file: "toy.go", old: old, new: replacement, suites: []suite{s}}
	}
	for name, c := range map[string]struct {
		mutant   mutant
		unbroken verdict
		want     verdict
		by       string
	}{
		"caught":      {with("if a > b {", "if a < b {", good), sound, caught, "TestLarger/seed=0"},
		"caught late": {with("if a > b {", "if a > 4 {", good), sound, caught, "TestLarger/seed=4"},
		"panics":      {with("if a > b {", "if a > b { panic(a)", good), sound, caught, "TestLarger"},
		"survives":    {with("if a < b {", "if a > b {", good), sound, survived, ""},
		"stale":       {with("if a == b {", "if a > b {", good), sound, stale, "0 times"},
		"not unique":  {with("return a", "return b", good), sound, stale, "2 times"},
		"two edits": {mutant{
			name: "toy", file: "toy.go", old: "if a > b {", new: "if a >= b {", also: []edit{{"toy.go", "if a >= b {", "if a < b {"}}, suites: []suite{good},
		}, sound, caught, "TestLarger/seed=0"},
		"a stale second edit": {mutant{
			name: "toy", file: "toy.go", old: "if a > b {", new: "if a < b {", also: []edit{{"toy.go", "return c", "return b"}}, suites: []suite{good},
		}, sound, stale, "0 times"},
		"no such file":   {mutant{file: "none.go", suites: []suite{good}}, sound, stale, "none.go"},
		"does not build": {with("if a > b {", "if a > c {", good), sound, unbuilt, "undefined: c"},
		"matches no test": {with("if a > b {", "if a < b {", suite{pkg: ".", run: "TestNone"}),
			broken, broken, "no test"},
		"fails unbroken": {with("if a > b {", "if a < b {", suite{pkg: "./broken", run: "."}), unsound, caught, "TestFails"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &lab{root: root, scratch: t.TempDir(), log: t.Output()}
			results := l.try(t.Context(), []mutant{c.mutant}, func(result) {})
			if len(results) != 2 || results[0].verdict != c.unbroken {
				t.Fatalf("unbroken, the tests gave %v, want %s", results, c.unbroken)
			}
			if got := results[1]; got.verdict != c.want || !strings.Contains(got.by, c.by) {
				t.Errorf("got %s by %q, want %s by %q", got.verdict, got.by, c.want, c.by)
			}
		})
	}
}

func TestTheTreeIsNotTouched(t *testing.T) {
	before, err := os.ReadFile("testdata/toy/toy.go")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("testdata/toy")
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{root: root, scratch: t.TempDir(), log: t.Output()}
	m := mutant{name: "toy", file: "toy.go", old: "if a > b {", new: "if a < b {"}
	l.one(t.Context(), m, suite{pkg: ".", run: "."})
	after, err := os.ReadFile("testdata/toy/toy.go")
	if err != nil || !bytes.Equal(after, before) {
		t.Error("the file itself was changed", err)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l := &lab{root: "testdata/toy", scratch: t.TempDir(), log: t.Output()}
	if r := l.unbroken(ctx, suite{pkg: ".", run: "."}); r.fine() {
		t.Error("an interrupted run counts as", r.verdict)
	}
}

func TestShow(t *testing.T) {
	fine := result{mutant: "(none)", verdict: sound, took: time.Second}
	for _, c := range []struct {
		verdict verdict
		ok      bool
	}{{caught, true}, {survived, false}, {stale, false}, {unbuilt, false}, {unsound, false}, {broken, false}} {
		var b strings.Builder
		if ok := show(&b, []result{fine, {mutant: "toy", verdict: c.verdict}}); ok != c.ok {
			t.Errorf("with a mutant that is %s all is well: %v, want %v", c.verdict, ok, c.ok)
		}
		if !strings.Contains(b.String(), string(c.verdict)) {
			t.Errorf("the table does not say %s:\n%s", c.verdict, &b)
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each row still fits the code: its patch applies and its tests exist. To try all mutants takes
// hours. So without this test nobody would soon notice a row that does not fit any more.
func TestRowsFitTheCode(t *testing.T) {
	l := &lab{root: filepath.Join("..", ".."), scratch: t.TempDir()}
	rows, err := readRows("rows")
	if err != nil || len(rows) < 50 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	for _, m := range rows {
		if _, err := l.overlay(t.Context(), m); err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
		for _, s := range m.suites {
			if !l.has(t, s) {
				t.Errorf("%s: no test in %s matches %s", m.name, s.pkg, s.run)
			}
		}
	}
}

func TestARowThatCannotBeReadIsRefused(t *testing.T) {
	const patch = "diff --git a/toy.go b/toy.go\n--- a/toy.go\n+++ b/toy.go\n"
	for text, want := range map[string]string{
		"Larger is smaller\n. TestLarger 5\n\n" + patch:   "",
		"Larger is smaller\n\n" + patch:                   "it needs a name, suites",
		"Larger is smaller\n. TestLarger 5\n":             "it needs a name, suites",
		"Larger is smaller\n. TestLarger 5\n\nno patch":   "it needs a name, suites",
		"Larger is smaller\n.\n\n" + patch:                "is not a package, a pattern of tests",
		"Larger is smaller\n. TestLarger few\n\n" + patch: `"few" is not a number of seeds`,
	} {
		m, err := parseRow([]byte(text))
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) || want == "" && err != nil {
			t.Errorf("of %q came %+v, %v; want %q", text, m, err, want)
		}
	}
}

var testName = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// has reports whether a suite has tests.
func (l *lab) has(t *testing.T, s suite) bool {
	t.Helper()
	wanted := regexp.MustCompile(strings.Split(s.run, "/")[0])
	files, err := filepath.Glob(filepath.Join(l.root, s.pkg, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range testName.FindAllStringSubmatch(string(text), -1) {
			if wanted.MatchString(name[1]) {
				return true
			}
		}
	}
	return false
}

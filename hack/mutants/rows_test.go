package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Each row still fits the code: its fragment and its tests exist. To try all mutants takes
// hours. So without this test nobody would soon notice a row that does not fit any more.
func TestRowsFitTheCode(t *testing.T) {
	l := &lab{root: filepath.Join("..", ".."), scratch: t.TempDir()}
	for _, m := range slices.Concat(mutants, fifos, skips) {
		if _, err := l.overlay(m); err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
		for _, s := range m.suites {
			if !l.has(t, s) {
				t.Errorf("%s: no test in %s matches %s", m.name, s.pkg, s.run)
			}
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

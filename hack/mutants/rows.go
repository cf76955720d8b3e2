package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// mutant is one fault: a patch of the code, and the tests that have to notice it. A file in rows has one:
//
//	The fault in a line.
//	./test/sim ^TestDeltaFIFO$ 2000      a suite: package, pattern, SEEDS (optional)
//	                                     more suites, which all have to notice; an empty line
//	diff --git a/internal/… b/internal/…
type mutant struct {
	name   string
	patch  []byte
	files  []string // that the patch changes, below the module's root
	suites []suite
}

// suite is a set of tests that has to notice a fault.
type suite struct {
	pkg   string // "./test/sim"
	run   string // as for go test -run
	seeds int    // SEEDS in the environment; 0 means the default of the tests
}

// String is the suite's text in a result.
func (s suite) String() string { return fmt.Sprintf("%s %s SEEDS=%d", s.pkg, s.run, s.seeds) }

// readRows reads the mutants in a folder, in the order of their files' names.
func readRows(folder string) ([]mutant, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.patch"))
	if err != nil {
		return nil, fmt.Errorf("look for mutants: %w", err)
	}
	rows := make([]mutant, 0, len(files))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read a mutant: %w", err)
		}
		row, err := parseRow(text)
		if err != nil {
			return nil, fmt.Errorf("read the mutant in %s: %w", file, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

var patched = regexp.MustCompile(`(?m)^\+\+\+ b/(.+)$`)

func parseRow(text []byte) (mutant, error) {
	head, patch, ok := bytes.Cut(text, []byte("\n\n"))
	name, suites, _ := strings.Cut(string(head), "\n")
	m := mutant{name: name, patch: patch}
	for _, match := range patched.FindAllSubmatch(patch, -1) {
		m.files = append(m.files, string(match[1]))
	}
	if !ok || suites == "" || len(m.files) == 0 {
		return m, fmt.Errorf("it needs a name, suites, an empty line and a patch")
	}
	for _, line := range strings.Split(suites, "\n") {
		words := strings.Fields(line)
		if len(words) < 2 || len(words) > 3 {
			return m, fmt.Errorf("%q is not a package, a pattern of tests and a number of seeds", line)
		}
		s := suite{pkg: words[0], run: words[1]}
		if len(words) == 3 {
			seeds, err := strconv.Atoi(words[2])
			if err != nil || seeds < 1 {
				return m, fmt.Errorf("%q is not a number of seeds", words[2])
			}
			s.seeds = seeds
		}
		m.suites = append(m.suites, s)
	}
	return m, nil
}

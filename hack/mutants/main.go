// Command mutants breaks the code on purpose, and checks that the tests fail.
//
//	rows/*.patch   what to break, and which tests have to notice
//	   │
//	   ▼  for each: copies of its files, patched
//	go test -c -overlay …      the files of the repository are never changed
//	   │
//	   ▼
//	run the tests ──fail──▶ caught      ──pass──▶ survived: exit 1
//
// A mutant whose patch does not apply is stale. A mutant that does not build proves nothing.
// Both are errors, and so are tests that fail without a mutant.
//
//	go run ./hack/mutants                 all of them
//	go run ./hack/mutants -only 'Delete'  those whose name matches
//
// One mutant is tried at a time: the tests use all processors themselves.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	only := flag.String("only", "", "run the mutants whose name matches this regular expression")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ok, err := runAll(ctx, *only)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// runAll tries the mutants whose name matches, and prints each result when it comes. It reports
// whether every suite has caught all mutants that it has to catch.
func runAll(ctx context.Context, only string) (bool, error) {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return false, fmt.Errorf("read the pattern of -only: %w", err)
	}
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return false, fmt.Errorf("find the root of the module: %w", err)
	}
	scratch, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return false, fmt.Errorf("make a directory for test binaries: %w", err)
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	l := &lab{root: strings.TrimSpace(string(out)), scratch: scratch}
	rows, err := readRows(filepath.Join(l.root, "hack", "mutants", "rows"))
	if err != nil {
		return false, err
	}
	chosen := slices.DeleteFunc(rows, func(m mutant) bool { return !pattern.MatchString(m.name) })
	if len(chosen) == 0 {
		return false, fmt.Errorf("no mutant has a name that matches -only %q", only)
	}
	return l.try(ctx, chosen, func(r result) { fmt.Println(r) }), nil
}

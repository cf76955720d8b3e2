package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// verdict is the result for a mutant.
type verdict string

const (
	caught   verdict = "caught"
	survived verdict = "SURVIVED"
	stale    verdict = "STALE" // its patch does not apply
	unbuilt  verdict = "DOES NOT BUILD"
	sound    verdict = "passes" // the result without a mutant
	unsound  verdict = "FAILS UNBROKEN"
	broken   verdict = "ERROR"
)

// result is what a suite makes of a mutant.
type result struct {
	mutant  string
	suite   suite
	verdict verdict
	by      string // the test that failed, or an error
	took    time.Duration
}

// fine reports whether the result is as it should be.
func (r result) fine() bool { return r.verdict == caught || r.verdict == sound }

// String is the line that is printed while the lab runs.
func (r result) String() string {
	return fmt.Sprintf("%-9s %s: %s %s (%v)", r.verdict, r.mutant, r.suite, r.by, r.took.Round(time.Millisecond))
}

// lab builds and runs the tests of the module at root.
type lab struct {
	root    string
	scratch string // for overlays and test binaries
}

// limit is how long a suite may take. A mutant that makes its tests hang is caught, and
// nobody should have to wait for it.
const limit = 5 * time.Minute

// try runs every suite without a mutant, and then each mutant against its suites. It passes
// on every result when it comes, and reports whether all are as they should be.
func (l *lab) try(ctx context.Context, mutants []mutant, each func(result)) bool {
	ok := true
	add := func(r result) {
		ok = ok && r.fine()
		each(r)
	}
	seen := map[suite]bool{}
	for _, m := range mutants {
		for _, s := range m.suites {
			if !seen[s] {
				seen[s] = true
				add(l.unbroken(ctx, s))
			}
		}
	}
	for _, m := range mutants {
		for _, s := range m.suites {
			add(l.one(ctx, m, s))
		}
	}
	return ok
}

// unbroken makes sure that the tests pass without a mutant.
func (l *lab) unbroken(ctx context.Context, s suite) result {
	r := l.judge(ctx, s, "")
	r.mutant = "(none)"
	switch r.verdict {
	case survived:
		r.verdict = sound
	case caught:
		r.verdict = unsound
	default: // not tried; detail says why
	}
	return r
}

func (l *lab) one(ctx context.Context, m mutant, s suite) result {
	overlay, err := l.overlay(ctx, m)
	if err != nil {
		return result{mutant: m.name, suite: s, verdict: stale, by: err.Error()}
	}
	r := l.judge(ctx, s, overlay)
	r.mutant = m.name
	return r
}

// overlay patches copies of the files, and writes the list that tells the go command to use them
// instead of the real ones.
func (l *lab) overlay(ctx context.Context, m mutant) (string, error) {
	broken := filepath.Join(l.scratch, "broken")
	if err := os.RemoveAll(broken); err != nil {
		return "", fmt.Errorf("remove the last mutant: %w", err)
	}
	replace := map[string]string{}
	for _, file := range m.files {
		path := filepath.Join(l.root, filepath.FromSlash(file))
		text, err := os.ReadFile(path)
		if err != nil {
			return "", fmt.Errorf("read the file to break: %w", err)
		}
		replace[path] = filepath.Join(broken, filepath.FromSlash(file))
		if err := errors.Join(os.MkdirAll(filepath.Dir(replace[path]), 0o700), os.WriteFile(replace[path], text, 0o600)); err != nil {
			return "", fmt.Errorf("copy the file to break: %w", err)
		}
	}
	apply := exec.CommandContext(ctx, "git", "apply", "-")
	apply.Dir, apply.Stdin = broken, bytes.NewReader(m.patch)
	apply.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+l.scratch) // in a repository, git patches nothing below its root
	if out, err := apply.CombinedOutput(); err != nil {
		return "", fmt.Errorf("apply the patch: %w: %s", err, lastLine(string(out)))
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return "", fmt.Errorf("encode the overlay: %w", err)
	}
	overlay := filepath.Join(l.scratch, "overlay.json")
	if err := os.WriteFile(overlay, list, 0o600); err != nil {
		return "", fmt.Errorf("write the overlay: %w", err)
	}
	return overlay, nil
}

// judge builds the suite's tests, and then runs them. These are two steps, so that a mutant
// that does not compile does not count as caught.
func (l *lab) judge(ctx context.Context, s suite, overlay string) result {
	r := result{suite: s}
	start := time.Now()
	binary := filepath.Join(l.scratch, "suite.test")
	args := []string{"test", "-c", "-vet=off", "-o", binary} // vet's findings in a mutant do not matter
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	build := exec.CommandContext(ctx, "go", append(args, s.pkg)...)
	build.Dir = l.root
	if out, err := build.CombinedOutput(); err != nil {
		r.verdict, r.by = unbuilt, lastLine(string(out))
		return r
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	run := exec.CommandContext(ctx, binary, "-test.run", s.run, "-test.failfast")
	run.Dir = filepath.Join(l.root, filepath.FromSlash(s.pkg))
	run.Env = os.Environ()
	if s.seeds > 0 {
		run.Env = append(run.Env, fmt.Sprint("SEEDS=", s.seeds))
	}
	out, err := run.CombinedOutput()
	r.took = time.Since(start)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		r.verdict, r.by = caught, fmt.Sprintf("not done after %v", limit)
		if context.Cause(ctx) == context.Canceled { //nolint:errorlint // only the cause itself counts, not an error that wraps it
			r.verdict, r.by = broken, "interrupted"
		}
	case err == nil && strings.Contains(string(out), "no tests to run"):
		r.verdict, r.by = broken, "the pattern matches no test"
	case err == nil:
		r.verdict = survived
	case errors.As(err, &exit):
		r.verdict, r.by = caught, culprit(string(out))
	default:
		r.verdict, r.by = broken, err.Error()
	}
	return r
}

var failed = regexp.MustCompile(`--- FAIL: (\S+)`)

// culprit names the innermost failing test, which has the seed in its name. If the tests were
// stopped, it says by what.
func culprit(output string) string {
	var name string
	for _, match := range failed.FindAllStringSubmatch(output, -1) {
		if strings.Count(match[1], "/") > strings.Count(name, "/") || name == "" {
			name = match[1]
		}
	}
	if name != "" {
		return name
	}
	for line := range strings.Lines(output) {
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") {
			return strings.TrimSpace(line)
		}
	}
	return lastLine(output)
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

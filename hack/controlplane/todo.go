package main

import (
	"fmt"
	"strings"
	"time"
)

// listed is the format for `go list`. It prints nothing for a package that is compiled.
const listed = `{{if .Stale}}{{.ImportPath}}{{"\t"}}{{.StaleReason}}{{end}}`

// onlyLink is the reason that `go list` gives for a program that only has to be linked.
const onlyLink = "not installed but available in build cache"

// perLink is how many packages are compiled in the time that one program is linked.
const perLink = 20

// todo is what a build has to do, and its progress. It expects that the rest goes as fast as
// this very build has gone up to now, because machines differ too much for another estimate.
type todo struct {
	packages map[string]bool // those that have not begun
	count    int             // the number of packages at the beginning
	links    int
}

// newTodo reads what `go list` said.
func newTodo(list string, links int) *todo {
	t := &todo{packages: map[string]bool{}, links: links}
	for line := range strings.Lines(list) {
		name, reason, found := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if found && reason != onlyLink {
			t.packages[name] = true
		}
	}
	t.count = len(t.packages)
	return t
}

// started reads a line of `go build -v`, which names each package when its compilation
// begins.
func (t *todo) started(line string) bool {
	isOne := t.packages[line]
	delete(t.packages, line)
	return isOne
}

// plan describes the work in words.
func (t *todo) plan() string {
	if t.count == 0 {
		return "everything is compiled, linking"
	}
	return fmt.Sprintf("%s to compile", counted(t.count, "package"))
}

// report describes the progress after a time.
func (t *todo) report(after time.Duration) string {
	if len(t.packages) == 0 {
		return "linking, " + after.Round(time.Second).String() + " so far"
	}
	text := fmt.Sprintf("compiled %d of %s in %s", t.count-len(t.packages), counted(t.count, "package"), after.Round(time.Second))
	if left, known := t.left(after); known {
		text += ", at this speed " + left.Round(time.Second).String() + " to go"
	}
	return text
}

// left is the estimate of the remaining time. There is none at first, because half a minute
// of work on the standard library says little.
func (t *todo) left(after time.Duration) (time.Duration, bool) {
	begun := t.count - len(t.packages)
	if begun*20 < t.count || after < 5*time.Second {
		return 0, false
	}
	return time.Duration(float64(after) * float64(len(t.packages)+t.links*perLink) / float64(begun)), true
}

// counted is a number of things in words.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

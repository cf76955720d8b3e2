package commands

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/docblocks"
	"github.com/delta-runtime/delta-runtime/internal/testing/realtime"
)

func TestEveryCommandIsRun(t *testing.T) {
	r := &runner{t: t, done: map[string]string{}}
	texts, err := docblocks.Pages(root)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	used := map[string]bool{}
	for page, text := range texts {
		commands, err := docblocks.Commands(text)
		if err != nil {
			t.Fatalf("%s: %v", page, err)
		}
		for _, c := range commands {
			seen++
			used[c.Text] = true
			out, err := r.perform(c.Text)
			if err != nil {
				t.Errorf("%s:%d: %v", page, c.Line, err)
			} else if err := alike(out, c.Output); err != nil {
				t.Errorf("%s:%d: %v", page, c.Line, err)
			}
		}
	}
	for page, text := range texts {
		for _, wrong := range r.outputs(text) {
			t.Errorf("%s:%s", page, wrong)
		}
	}
	if seen < 10 {
		t.Errorf("the documents have %d commands: are they still found?", seen)
	}
	for command := range places {
		if !used[command] {
			t.Errorf("the table says where %q is run, but no document has that command", command)
		}
	}
}

// outputs checks the blocks of a document that show output. The output is from a command
// above it, or from an example that is quoted there.
func (r *runner) outputs(document string) (wrong []string) {
	blocks, err := docblocks.Parse(document)
	if err != nil {
		return []string{err.Error()}
	}
	commands, err := docblocks.Commands(document)
	if err != nil {
		return []string{err.Error()}
	}
	var origin func(shown string) error
	for _, b := range blocks {
		var above *docblocks.Command
		inside := false
		for _, c := range commands {
			inside = inside || c.Line >= b.Line && c.Line < b.Line+strings.Count(b.Text, "\n")
			if c.Line < b.Line && (above == nil || c.Line > above.Line) {
				above = &c
			}
		}
		switch {
		case b.Source() != "":
			origin = func(shown string) error { return printed(b.Source(), shown) }
		case b.Fenced:
		case inside:
			origin = nil
		default:
			if above != nil && origin == nil {
				out := r.done[above.Text]
				origin = func(shown string) error { return alike(out, shown) }
			}
			if origin == nil {
				wrong = append(wrong, fmt.Sprintf("%d: nothing above has this output: %q", b.Line, b.Text))
			} else if err := origin(b.Text); err != nil {
				wrong = append(wrong, fmt.Sprintf("%d: %v", b.Line, err))
			}
			origin = nil
		}
	}
	return wrong
}

// printed looks for the output that an example is said to print.
func printed(source, shown string) error {
	text, err := os.ReadFile(filepath.Join(root, source)) //nolint:gosec // paths of this repository
	if err != nil {
		return err
	}
	for line := range strings.Lines(shown) {
		if !strings.Contains(string(text), "// "+strings.TrimSpace(line)+"\n") {
			return fmt.Errorf("no example in %s prints %q", source, line)
		}
	}
	return nil
}

func alike(out, shown string) error {
	if missing := lacking(out, shown); missing != nil {
		return fmt.Errorf("the output of the command above has nothing like %q:\n%s", missing, out)
	}
	return nil
}

var number = regexp.MustCompile(`(?:[0-9][0-9.,]*(?:ns|µs|ms|s|m|h|%)?)+`)

// plain is a line of output without what may differ: numbers, durations, and how much space there is between words.
func plain(line string) string {
	return strings.Join(strings.Fields(number.ReplaceAllString(line, "#")), " ")
}

// lacking returns the lines that the output does not have.
func lacking(out, shown string) (missing []string) {
	var lines []string
	for line := range strings.Lines(out) {
		lines = append(lines, plain(line))
	}
	for line := range strings.Lines(shown) {
		like := plain(line)
		if like != "" && !slices.ContainsFunc(lines, func(l string) bool { return strings.HasSuffix(l, like) }) {
			missing = append(missing, strings.TrimSpace(line))
		}
	}
	return missing
}

func TestLacking(t *testing.T) {
	const out = "    a_test.go:17: 2000 objects in 1m10.334s (9676 a second), alone 92.523µs\nok\n"
	for shown, want := range map[string]int{
		"": 0,
		"100,000 objects in 5ms (1 a second), alone 2s\nok\n": 0,
		"2000 objects in 5ms":                         1,
		"few objects\nmany\n":                         2,
		"  7   objects\tin 3s (2 a second), alone 1s": 0,
		"objects in 1m10.334s":                        1,
	} {
		if missing := lacking(out, shown); len(missing) != want {
			t.Errorf("of %q %q are missing, want %d", shown, missing, want)
		}
	}
}

func TestOutputsThatNothingPutsOutAreFound(t *testing.T) {
	r := &runner{t: t, done: map[string]string{"go run ./x": "took 3s\n"}}
	const quotation = "<!-- quoted from pkg/delta/example_test.go -->\n```go\nf()\n```\n\nprints\n\n"
	for document, want := range map[string]int{
		"    go run ./x\n\nprints\n\n    took 5ms\n":          0,
		"    go run ./x\n\nprints\n\n    takes 5ms\n":         1,
		"`go run ./x` prints\n\n    took 5ms\n":               0,
		"it prints\n\n    took 5ms\n":                         1,
		quotation + "    Primary Deployment web Updated\n":    0,
		quotation + "    Primary Deployment web is Updated\n": 1,
	} {
		if wrong := r.outputs(document); len(wrong) != want {
			t.Errorf("%q has %q wrong, want %d", document, wrong, want)
		}
	}
}

func TestMain(m *testing.M) { realtime.Main(m) }

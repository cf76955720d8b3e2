package adopt

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/docblocks"
)

var named = regexp.MustCompile("`([\\w./-]+/[\\w.-]+\\.\\w+)`")

// fileOf returns the file that a diff changes: the paragraph in front of it names one,
// in backticks and with its folder.
func fileOf(b docblocks.Block) (string, error) {
	var files []string
	for _, m := range named.FindAllStringSubmatch(b.Before, -1) {
		if !slices.Contains(files, m[1]) {
			files = append(files, m[1])
		}
	}
	if len(files) != 1 {
		return "", fmt.Errorf("find the file of the block in line %d: the paragraph in front of it names %q, not one", b.Line, files)
	}
	return files[0], nil
}

// applied returns the source with all hunks in it. They are looked for in the source
// as it was, each must be there once, and no two may have a line in common: so the
// order in which a page shows them doesn't matter.
func applied(source string, hunks []docblocks.Hunk) (string, error) {
	type place struct {
		at int
		docblocks.Hunk
	}
	var places []place
	for _, h := range hunks {
		at, err := find(source, h.Old)
		if err != nil {
			return "", err
		}
		places = append(places, place{at, h})
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(b.at, a.at) }) // from the end, so that those before stay where they are
	for i, p := range places {
		end := p.at + len(p.Old)
		if i > 0 && end > places[i-1].at {
			return "", fmt.Errorf("apply a hunk: it has lines in common with another one:\n%s", p.Old)
		}
		source = source[:p.at] + p.New + source[end:]
	}
	return source, nil
}

// find returns where the lines are in the source. Lines match as a whole.
func find(source, lines string) (int, error) {
	places := occurrences("\n"+source, "\n"+lines) // each line has a newline in front now
	switch len(places) {
	case 1:
		return places[0], nil
	case 0:
		return 0, fmt.Errorf("apply a hunk: these lines are not there:\n%s", lines)
	default:
		return 0, fmt.Errorf("apply a hunk: these lines are there %d times, so nobody knows which are meant:\n%s", len(places), lines)
	}
}

// occurrences returns all places, also those that overlap.
func occurrences(text, part string) (places []int) {
	for from := 0; ; {
		i := strings.Index(text[from:], part)
		if i < 0 {
			return places
		}
		places = append(places, from+i)
		from += i + 1
	}
}

// reversed returns the hunks that take back what these did.
func reversed(hunks []docblocks.Hunk) []docblocks.Hunk {
	back := make([]docblocks.Hunk, len(hunks))
	for i, h := range hunks {
		back[i] = docblocks.Hunk{Old: h.New, New: h.Old}
	}
	return back
}

func TestApply(t *testing.T) {
	const source = "import (\n\ta\n\tc\n)\n\tx\n\ty\nend\n"
	hunks, err := docblocks.ParseDiff("-\tx\n+\tz\n+\tz\n \ty\n\n \ta\n+\tb\n")
	must(t, err)
	changed, err := applied(source, hunks)
	if want := "import (\n\ta\n\tb\n\tc\n)\n\tz\n\tz\n\ty\nend\n"; changed != want || err != nil {
		t.Fatalf("got %q, want %q, error %v", changed, want, err)
	}
	back, err := applied(changed, reversed(hunks))
	if back != source || err != nil {
		t.Errorf("taken back it is %q, error %v", back, err)
	}
}

func TestApplyRefuses(t *testing.T) {
	for _, c := range []struct{ name, source, diff, want string }{
		{"lines that are not there", "a\n", " b\n+c\n", "not there"},
		{"lines that are there twice", "a\nb\na\n", " a\n+c\n", "there 2 times"},
		{"lines that overlap themselves", "a\na\na\n", " a\n a\n+c\n", "there 2 times"},
		{"other indentation", "\t\ta\n", " \ta\n+\tc\n", "not there"},
		{"spaces for tabs", "\ta\n", "     a\n+c\n", "not there"},
		{"the end of a line", "a b\n", " b\n+c\n", "not there"},
		{"the beginning of a line", "a b\n", " a\n+c\n", "not there"},
		{"a last line without an end", "a", " a\n+c\n", "not there"},
		{"hunks that meet", "a\nb\nc\n", "-a\n+x\n b\n\n b\n-c\n+y\n", "in common"},
	} {
		hunks, err := docblocks.ParseDiff(c.diff)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got, err := applied(c.source, hunks); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %q, error %v, want one with %q", c.name, got, err, c.want)
		}
	}
}

func TestADiffNamesOneFile(t *testing.T) {
	if file, err := fileOf(docblocks.Block{Before: "In `cmd/main.go`, as ever:"}); file != "cmd/main.go" || err != nil {
		t.Errorf("the diff is of %q, error %v", file, err)
	}
	for _, before := range []string{"", "In main.go:", "In `main.go`:", "In `cmd/a.go` and `cmd/b.go`:", "`a/a.go`, `b/b.go`, `a/a.go`"} {
		if file, err := fileOf(docblocks.Block{Before: before}); err == nil {
			t.Errorf("%q names %q", before, file)
		}
	}
}

package adopt

import (
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/docblocks"
)

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

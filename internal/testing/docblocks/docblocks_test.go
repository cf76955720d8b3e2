package docblocks

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const page = "# Title\n" +
	"\n" +
	"In `cmd/main.go`, as ever:\n" +
	"\n" +
	"```diff\n" +
	" a\n" +
	"+b\n" +
	"\n" +
	"-c\n" +
	"+d\n" +
	"```\n" +
	"\n" +
	"    make test     everything, or `make less`\n" +
	"    go test -run '^$' ./pkg/x   # quick\n" +
	"    ok   1 s\n" +
	"\n" +
	"    and more\n" +
	"\n" +
	"## Second\n" +
	"1. An item that goes on\n" +
	"    in its next line, with `make this` and `make`, `go test …`, `gofmt -l`.\n" +
	"\n" +
	"<!-- quoted from pkg/a_test.go -->\n" +
	"```go\n" +
	"f()\n" +
	"```\n" +
	"```sh\n" +
	"$ SEEDS=1 make model\n" +
	"any-thing --at all\n" +
	"```\n" +
	"`go run ./hack/x\n" +
	"-rows 4`\n"

func TestParse(t *testing.T) {
	got, err := Parse(page)
	want := []Block{
		{Line: 6, Fenced: true, Language: "diff", Text: " a\n+b\n\n-c\n+d\n", Before: "In `cmd/main.go`, as ever:", Section: "Title"},
		{Line: 13, Text: "make test     everything, or `make less`\ngo test -run '^$' ./pkg/x   # quick\nok   1 s\n\nand more\n", Section: "Title"},
		{Line: 25, Fenced: true, Language: "go", Text: "f()\n", Before: "<!-- quoted from pkg/a_test.go -->", Section: "Second"},
		{Line: 28, Fenced: true, Language: "sh", Text: "$ SEEDS=1 make model\nany-thing --at all\n", Section: "Second"},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("error %v, blocks (-want +got):\n%s", err, diff)
	}
	if file, err := got[0].File(); file != "cmd/main.go" || err != nil {
		t.Errorf("the diff is of %q, error %v", file, err)
	}
	if source := got[2].Source(); source != "pkg/a_test.go" {
		t.Errorf("the Go is quoted from %q", source)
	}
	if source := got[0].Source(); source != "" {
		t.Errorf("the diff is quoted from %q", source)
	}
}

func TestParseRefuses(t *testing.T) {
	if blocks, err := Parse("a\n```go\nf()\n"); err == nil {
		t.Errorf("a fence that is not closed gives %+v", blocks)
	}
	for _, before := range []string{"", "In main.go:", "In `main.go`:", "In `cmd/a.go` and `cmd/b.go`:", "`a/a.go`, `b/b.go`, `a/a.go`"} {
		if file, err := (Block{Before: before}).File(); err == nil {
			t.Errorf("%q names %q", before, file)
		}
	}
}

func TestCommands(t *testing.T) {
	got, err := Commands(page)
	want := []Command{
		{Line: 13, Text: "make test"},
		{Line: 14, Text: "go test -run '^$' ./pkg/x", Output: "ok   1 s\nand more\n"},
		{Line: 28, Text: "SEEDS=1 make model"},
		{Line: 29, Text: "any-thing --at all"},
		{Line: 21, Text: "make this"},
		{Line: 31, Text: "go run ./hack/x -rows 4"},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("error %v, commands (-want +got):\n%s", err, diff)
	}
}

func TestApply(t *testing.T) {
	const source = "import (\n\ta\n\tc\n)\n\tx\n\ty\nend\n"
	hunks, err := ParseDiff("-\tx\n+\tz\n+\tz\n \ty\n\n \ta\n+\tb\n")
	if err != nil {
		t.Fatal(err)
	}
	changed, err := Apply(source, hunks)
	if want := "import (\n\ta\n\tb\n\tc\n)\n\tz\n\tz\n\ty\nend\n"; changed != want || err != nil {
		t.Fatalf("got %q, want %q, error %v", changed, want, err)
	}
	back, err := Apply(changed, Reverse(hunks))
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
		hunks, err := ParseDiff(c.diff)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got, err := Apply(c.source, hunks); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %q, error %v, want one with %q", c.name, got, err, c.want)
		}
	}
}

func TestParseDiffRefuses(t *testing.T) {
	for diff, want := range map[string]string{
		"":             "no lines",
		"\n\n":         "no lines",
		"+a\n":         "line 1 of a diff: it has no line of context",
		" a\n+b\n\n+c": "line 4 of a diff: it has no line of context",
		"-a\n":         "leaves no line",
		" a\n":         "changes nothing",
		"@@ 1\n":       "line 1 of a diff",
	} {
		if hunks, err := ParseDiff(diff); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %q, error %v, want one with %q", diff, hunks, err, want)
		}
	}
}

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

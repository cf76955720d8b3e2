package docs

import (
	"fmt"
	"go/build/constraint"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/docblocks"
)

// TestEveryBlockIsChecked looks at all blocks of all documents, also of those about the past.
// For each block it is known what checks it, and Go is quoted from a file.
func TestEveryBlockIsChecked(t *testing.T) {
	quoted := 0
	for page, text := range pages(t) {
		blocks, err := docblocks.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", page, err)
		}
		for _, b := range blocks {
			if b.Language == "go" {
				quoted++
			}
			if err := checkBlock(b, root); err != nil {
				t.Errorf("%s:%d: %v", page, b.Line, err)
			}
		}
	}
	if quoted < 15 {
		t.Errorf("the documents have %d blocks of Go: are they still found?", quoted)
	}
}

// checkBlock returns what is wrong with a block. It leaves out what other tests check.
func checkBlock(b docblocks.Block, tree string) error {
	switch {
	case b.Language == "go":
		return checkQuotation(b, tree)
	case !b.Fenced: // package commands runs it, or looks for it in the output of a command
		return nil
	case b.Language == "diff": // package adopt applies it
		_, err := docblocks.ParseDiff(b.Text)
		return err
	case b.Language == "sh", b.Language == "console": // package commands runs it
		return nil
	case b.Language == "": // a drawing
		commands, err := docblocks.Commands("\n    " + strings.ReplaceAll(b.Text, "\n", "\n    "))
		if err == nil && len(commands) > 0 {
			err = fmt.Errorf("%q is in a block that no test runs: its language has to be sh", commands[0].Text)
		}
		return err
	default:
		return fmt.Errorf("no test checks a block of %s", b.Language)
	}
}

// checkQuotation looks for Go in the file that it is quoted from. Only the indentation may
// differ. The compiler has to see that file.
func checkQuotation(b docblocks.Block, tree string) error {
	source := b.Source()
	if source == "" {
		return fmt.Errorf("it does not say what it is quoted from, as in <!-- quoted from pkg/delta/example_test.go -->")
	}
	if filepath.Ext(source) != ".go" || strings.Contains(source, "testdata") {
		return fmt.Errorf("it is quoted from %s, which is not compiled", source)
	}
	text, err := os.ReadFile(filepath.Join(tree, source)) //nolint:gosec // paths of this repository
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		if constraint.IsGoBuild(strings.TrimSpace(line)) {
			return fmt.Errorf("it is quoted from %s, which is not always compiled", source)
		}
	}
	if shown := flat(b.Text); shown == "" || !strings.Contains(flat(string(text)), shown) {
		return fmt.Errorf("it is not in %s:\n%s", source, b.Text)
	}
	return nil
}

// flat returns the text without the space at the beginning and end of its lines.
func flat(text string) string {
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return strings.Join(lines, "\n")
}

func TestBlocksThatNothingChecksAreFound(t *testing.T) {
	tree := t.TempDir()
	for name, text := range map[string]string{
		"a.go":          "package a\n\nfunc f() {\n\tg(\n\t\t1)\n}\n",
		"tagged.go":     "//go:build never\n\npackage a\n",
		"a.txt":         "f()\n",
		"testdata/a.go": "package a\n",
	} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(tree, name)), 0o700))
		must(t, os.WriteFile(filepath.Join(tree, name), []byte(text), 0o600))
	}
	for _, c := range []struct{ block, wrong string }{
		{"<!-- quoted from a.go -->\n```go\ng(\n\t1)\n```\n", ""},
		{"<!-- quoted from a.go -->\n```go\ng()\n```\n", "not in a.go"},
		{"<!-- quoted from a.go -->\n```go\n```\n", "not in a.go"},
		{"<!-- quoted from none.go -->\n```go\ng(\n```\n", "none.go"},
		{"<!-- quoted from a.txt -->\n```go\nf()\n```\n", "not compiled"},
		{"<!-- quoted from testdata/a.go -->\n```go\npackage a\n```\n", "not compiled"},
		{"<!-- quoted from tagged.go -->\n```go\npackage a\n```\n", "not always compiled"},
		{"```go\ng(\n```\n", "does not say"},
		{"```diff\n a\n+b\n```\n", ""},
		{"```diff\n+b\n```\n", "no line of context"},
		{"```sh\nmake test\n```\n", ""},
		{"```\na ──▶ b\n```\n", ""},
		{"```\nmake test\n```\n", "no test runs"},
		{"```yaml\na: b\n```\n", "no test checks"},
	} {
		blocks, err := docblocks.Parse(c.block)
		if err != nil || len(blocks) != 1 {
			t.Fatalf("%q has %d blocks, error %v", c.block, len(blocks), err)
		}
		err = checkBlock(blocks[0], tree)
		if got := fmt.Sprint(err); (err == nil) != (c.wrong == "") || !strings.Contains(got, c.wrong) {
			t.Errorf("%q: error %v, want one with %q", c.block, err, c.wrong)
		}
	}
}

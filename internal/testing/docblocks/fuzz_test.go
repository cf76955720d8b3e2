package docblocks

import (
	"strings"
	"testing"
)

// Whatever a page is, the lines of its blocks are lines of the page, in order, and
// no fence is overlooked.
func FuzzParse(f *testing.F) {
	f.Add(page)
	f.Add("```\n```")
	f.Add("    a\n\n\n    b\nc\n    d\n")
	f.Add("```go\n    ```\n```x\n```\n")
	f.Fuzz(func(t *testing.T, document string) {
		blocks, err := Parse(document)
		if err != nil {
			if !strings.Contains(document, fence) {
				t.Errorf("no fence, and yet: %v", err)
			}
			return
		}
		lines := strings.Split(document, "\n")
		after := 0
		for _, b := range blocks {
			if b.Line <= after {
				t.Fatalf("block of line %d begins before line %d, where another one ends", b.Line, after)
			}
			for i, line := range strings.Split(strings.TrimSuffix(b.Text, "\n"), "\n") {
				after = b.Line + i
				if b.Text != "" && !strings.HasSuffix(lines[after-1], line) {
					t.Fatalf("line %d is %q, and %q in its block", after, lines[after-1], line)
				}
			}
		}
		if opened := strings.Count("\n"+document, "\n"+fence); opened > 0 && len(blocks) == 0 {
			t.Errorf("%d lines begin with a fence, and there is no block", opened)
		}
		if _, err := Commands(document); err != nil {
			t.Errorf("it has blocks, but its commands can't be read: %v", err)
		}
	})
}

// The reverse of a diff takes back what the diff does to a file that it fits, or refuses
// because the new lines were there before.
func FuzzApply(f *testing.F) {
	f.Add("a\nb\nc\n", "-a\n+x\n\n b\n+y\n")
	f.Add("a\na\n", " a\n a\n+a\n")
	f.Add("", "+a")
	f.Fuzz(func(t *testing.T, source, diff string) {
		hunks, err := ParseDiff(diff)
		if err != nil {
			return
		}
		changed, err := Apply(source, hunks)
		if err != nil {
			return
		}
		if len(hunks) > 0 && changed == source {
			t.Errorf("%q does nothing to %q", diff, source)
		}
		if back, err := Apply(changed, Reverse(hunks)); err == nil && back != source {
			t.Errorf("%q makes %q of %q, and back it is %q", diff, changed, source, back)
		}
	})
}

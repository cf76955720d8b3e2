package adopt

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/docblocks"
)

const root = "../../.."

// step is a section of a page, and the file of the project that it changes. If it names no
// file, the section may change all files.
type step struct {
	page, section, file string
}

const (
	guide  = "docs/adopt.md"
	readme = "README.md"
	suite  = "internal/controller/suite_test.go"
)

// change is a change of a file that a page shows.
type change struct {
	step

	line  int // of the page
	hunks []docblocks.Hunk
}

// read returns a file of this repository.
func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path)) //nolint:gosec // paths of this repository
	must(t, err)
	return string(text)
}

// changesOf returns the diffs of a page, in their order.
func changesOf(t *testing.T, page string) (found []change) {
	t.Helper()
	blocks, err := docblocks.Parse(read(t, page))
	if err != nil {
		t.Fatalf("%s: %v", page, err)
	}
	for _, b := range blocks {
		if b.Language != "diff" {
			continue
		}
		file, err := fileOf(b)
		if err != nil {
			t.Fatalf("%s: %v", page, err)
		}
		hunks, err := docblocks.ParseDiff(b.Text)
		if err != nil {
			t.Fatalf("%s:%d: %v", page, b.Line, err)
		}
		found = append(found, change{step: step{page, b.Section, file}, line: b.Line, hunks: hunks})
	}
	return found
}

// changes returns the changes that a page shows for a step. There has to be at least one.
func (s step) changes(t *testing.T) (found []change) {
	t.Helper()
	for _, c := range changesOf(t, s.page) {
		if c.section == s.section && (s.file == "" || c.file == s.file) {
			found = append(found, c)
		}
	}
	if found == nil {
		t.Fatalf("%s has no diff of %q under %q", s.page, s.file, s.section)
	}
	return found
}

// TestEveryDiffIsTaken looks for diffs that no level takes.
func TestEveryDiffIsTaken(t *testing.T) {
	taken := map[step]bool{}
	for _, l := range levels {
		for _, s := range l.steps {
			for _, c := range s.changes(t) {
				taken[c.step] = true
			}
		}
	}
	pages, err := docblocks.Pages(root)
	must(t, err)
	for page := range pages {
		for _, c := range changesOf(t, page) {
			if !taken[c.step] {
				t.Errorf("%s:%d: no level applies this diff of %s", page, c.line, c.file)
			}
		}
	}
}

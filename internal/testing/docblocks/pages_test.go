package docblocks_test

import (
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/docblocks"
)

func TestPagesAreAllDocuments(t *testing.T) {
	pages, err := docblocks.Pages("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"README.md", "docs/adopt.md", "docs/adr/README.md", "examples/sample-operator/README.md"} {
		if !strings.HasPrefix(pages[page], "# ") {
			t.Errorf("%s is %q", page, pages[page])
		}
	}
	if _, err := docblocks.Pages(t.TempDir()); err == nil || !strings.Contains(err.Error(), "there are none") {
		t.Errorf("of a folder without documents: %v", err)
	}
}

package layering

import (
	"bytes"
	"os"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/sources"
)

// most is how many lines a file may have. A longer one has two subjects.
const most = 350

func TestFilesAreShort(t *testing.T) {
	err := sources.All(os.DirFS("../.."), ".", func(name string, source []byte) error {
		if n := bytes.Count(source, []byte("\n")); n > most {
			t.Errorf("%s has %d lines, and %d are enough: give a part of it a file of its own", name, n, most)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

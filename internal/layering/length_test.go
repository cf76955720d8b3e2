package layering

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
)

// most is how many lines a file may have. A longer one has two subjects.
const most = 350

// Test files are exempt: a table of cases may be long.
func TestFilesAreShort(t *testing.T) {
	tree := os.DirFS("../..")
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == "bin" || name != "." && strings.HasPrefix(path.Base(name), ".")):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		if n := bytes.Count(text, []byte("\n")); n > most {
			t.Errorf("%s has %d lines, and %d are enough: give a part of it a file of its own", name, n, most)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

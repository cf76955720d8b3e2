package docs

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/docblocks"
)

const (
	root      = "../.."
	guestbook = "adopt/testdata/guestbook" // the project in the pages about adoption
)

// pages are all documents.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all, err := docblocks.Pages(root)
	must(t, err)
	return all
}

// isHistory reports whether a document describes how things were when it was written.
func isHistory(page string) bool {
	return page == "CHANGELOG.md" || path.Dir(page) == "docs/adr" && page != "docs/adr/README.md"
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// goFiles are the names of all Go files of the project.
var goFiles = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == "bin" || entry.Name() == ".git") {
			return fs.SkipDir
		}
		all[filepath.Base(path)] = true
		return err
	})
	return all
})

// declares reports whether a package has a function or a method of a name.
func declares(folder, name string) bool {
	files, _ := filepath.Glob(filepath.Join(root, folder, "*.go"))
	declaration := regexp.MustCompile(`(?m)^func (\([^)]*\) )?` + name + `\b`)
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file) //nolint:gosec // files of this repository
		return err == nil && declaration.Match(text)
	})
}

func TestDocumentsNameWhatExists(t *testing.T) {
	makefile, err := os.ReadFile(root + "/Makefile")
	must(t, err)
	for page, text := range pages(t) {
		if isHistory(page) {
			continue
		}
		for _, wrong := range check(text, filepath.Join(root, path.Dir(page)), string(makefile)) {
			t.Errorf("%s: %s", page, wrong)
		}
	}
}

var (
	link     = regexp.MustCompile(`\]\(([^)#"]+)\)`)
	file     = regexp.MustCompile("`((?:pkg|internal|test|hack|docs)/[^` ]*)`")
	goFile   = regexp.MustCompile("`([a-z0-9_]+\\.go)`")
	onRoad   = regexp.MustCompile("(?m)^\\| \\d+ \\| `([a-z/]+)/[a-z_]+\\.go`([^|]*) \\|")
	function = regexp.MustCompile("`(\\w+)`")
	goRun    = regexp.MustCompile(`go run (\./[\w/]+)`)
	target   = regexp.MustCompile("(?m)(?:`|^ {4})make ([a-z0-9/-]+)")
	tests    = regexp.MustCompile("((?:`Test\\w+`(?:, | and |\\s+and\\s+)?)+)\\s+in\\s+`([^`]+_test\\.go)`")
	anyTest  = regexp.MustCompile("`Test[A-Z]\\w+`")
	testName = regexp.MustCompile(`Test\w+`)
)

// check returns the wrong names in a text. The text is in folder.
func check(text, folder, makefile string) (wrong []string) {
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	for _, m := range link.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(m[1], "://") && !exists(filepath.Join(folder, m[1])) {
			complain("links to %s, which does not exist", m[1])
		}
	}
	for _, m := range slices.Concat(file.FindAllStringSubmatch(text, -1), goRun.FindAllStringSubmatch(text, -1)) {
		if !strings.Contains(m[1], "*") && !exists(filepath.Join(root, m[1])) && !exists(filepath.Join(guestbook, m[1])) {
			complain("names %s, which does not exist", m[1])
		}
	}
	for _, m := range goFile.FindAllStringSubmatch(text, -1) {
		if !goFiles()[m[1]] {
			complain("names %s, and no folder has such a file", m[1])
		}
	}
	for _, m := range onRoad.FindAllStringSubmatch(text, -1) { // a row of the path of an event
		for _, name := range function.FindAllStringSubmatch(m[2], -1) {
			if !declares(m[1], name[1]) {
				complain("names the function %s, which is not in %s", name[1], m[1])
			}
		}
	}
	for _, m := range target.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(makefile, "\n"+m[1]+":") {
			complain("has the command make %s, which the Makefile does not know", m[1])
		}
	}
	return append(wrong, checkTests(text)...)
}

// checkTests looks at sentences of the kind "`TestA` and `TestB` in `file_test.go`".
func checkTests(text string) (wrong []string) {
	found := 0
	for _, m := range tests.FindAllStringSubmatch(text, -1) {
		source, err := os.ReadFile(filepath.Join(root, m[2])) //nolint:gosec // paths of this repository
		if err != nil {
			return append(wrong, err.Error())
		}
		for _, name := range testName.FindAllString(m[1], -1) {
			found++
			if !strings.Contains(string(source), "func "+name+"(t *testing.T)") {
				wrong = append(wrong, fmt.Sprintf("names %s, which is not in %s", name, m[2]))
			}
		}
	}
	all := len(slices.DeleteFunc(anyTest.FindAllString(text, -1), func(name string) bool { return name == "`TestMain`" }))
	if found != all {
		wrong = append(wrong, fmt.Sprintf("names %d tests, and says the file of only %d", all, found))
	}
	return wrong
}

func TestChecksFindWhatIsWrong(t *testing.T) {
	makefile := "\ntest: build\n"
	for text, wrong := range map[string]int{
		"[here](README.md), [there](https://example.com/none.md), `make test`, `pkg/delta/key.go`": 0,
		"`internal/controller/suite_test.go`":                                                      0,
		"`TestKeyTextIsReversible` and `TestKeyCompare` in\n`pkg/delta/delta_test.go`":             0,
		"[here](NONE.md)": 1,
		"`pkg/none.go`":   1,
		"`none.go`":       1,
		"| 1 | `pkg/delta/key.go` `None`, `Compare` | compares |": 1,
		"    make none":                           1,
		"go run ./hack/none":                      1,
		"`TestNone` in `pkg/delta/delta_test.go`": 1,
		"`TestKeyCompare` in `internal/testing/docblocks/docblocks_test.go`": 1,
		"`TestKeyCompare`, wherever it may be":                               1,
		"`TestKeyCompare` in `pkg/delta/none_test.go`, none":                 2, // the file, twice
	} {
		if got := check(text, root, makefile); len(got) != wrong {
			t.Errorf("%q has %d things wrong, want %d: %v", text, len(got), wrong, got)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

package main

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/page again")

const made = "testdata/run.json" // a made-up run that has every kind of line

// pages returns a page and its run, by name.
func pages(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, pattern := range []string{"benchmarks.md", "benchmarks/*"} {
		files, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found[filepath.Base(file)] = string(text)
		}
	}
	return found
}

// render makes the page of a run.
func render(t *testing.T, from string) map[string]string {
	t.Helper()
	folder := t.TempDir()
	if err := run(t.Context(), []string{"-from", from, "-report", filepath.Join(folder, "benchmarks.md")}, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	return pages(t, folder)
}

func samePages(t *testing.T, got, want map[string]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("there are %d files, want %d", len(got), len(want))
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s is not what it was:\n%s", name, got[name])
		}
	}
}

func TestPageIsAsItWas(t *testing.T) {
	if *update {
		if err := again(made, "testdata/page/benchmarks.md"); err != nil {
			t.Fatal(err)
		}
	}
	samePages(t, render(t, made), pages(t, "testdata/page"))
}

// The page in docs is exactly what this program makes from the run beside it. So nobody has
// edited it, and it has the form that this program writes now.
func TestPublishedPageIsItsRun(t *testing.T) {
	published := pages(t, "../../docs")
	samePages(t, published, render(t, "../../docs/benchmarks/"+runFile))
}

func TestTablesTakeAnyText(t *testing.T) {
	l := line{Row: 1, What: `<queue> & "co", it's`, Variant: "a<b|c", Metric: "</svg>", Found: comparison{Ratio: 2, Ratios: []float64{2}}}
	if page := (&report{Lines: []line{l}}).page(); !strings.Contains(page, `| 1 | it's: a<b\|c | </svg> | 2.00× | 2.00–2.00× | 1 |  |  |`) {
		t.Errorf("the page is\n%s", page)
	}
}

func TestPagesThatCannotBeMade(t *testing.T) {
	folder := t.TempDir()
	empty := filepath.Join(folder, "empty.json")
	if err := os.WriteFile(empty, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(folder, "page.md")
	for want, args := range map[string][]string{
		"-report does not say where": {"-from", made},
		"read the measurements":      {"-from", filepath.Join(folder, "none.json"), "-report", page},
		"invalid character":          {"-from", "page_test.go", "-report", page},
		"there are none":             {"-from", empty, "-report", page},
		"does not end in .md":        {"-from", made, "-report", folder},
		"write the page":             {"-from", made, "-report", filepath.Join(empty, "page.md")},
	} {
		if err := run(t.Context(), args, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want something about %q", args, err, want)
		}
	}
}

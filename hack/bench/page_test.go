package main

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/page and the page in docs again, from their runs")

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
	again(t, from, filepath.Join(folder, "benchmarks.md"))
	return pages(t, folder)
}

// runIn reads a run from a file.
func runIn(t *testing.T, file string) (r report) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// again makes the page from a run in a file.
func again(t *testing.T, from, page string) {
	t.Helper()
	r := runIn(t, from)
	if err := r.writePage(page); err != nil {
		t.Fatal(err)
	}
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
		again(t, made, "testdata/page/benchmarks.md")
	}
	samePages(t, render(t, made), pages(t, "testdata/page"))
}

// The page in docs is exactly what this program makes from the run beside it. So nobody has
// edited it, and it has the form that this program writes now.
func TestPublishedPageIsItsRun(t *testing.T) {
	if *update {
		again(t, "../../docs/benchmarks/"+runFile, "../../docs/benchmarks.md")
	}
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
	taken := filepath.Join(folder, "taken")
	if err := os.WriteFile(taken, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for want, page := range map[string]string{
		"does not end in .md": folder,
		"write the page":      filepath.Join(taken, "page.md"),
	} {
		if err := (&report{}).writePage(page); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want something about %q", page, err, want)
		}
	}
}

package main

import (
	"encoding/json"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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

func readRun(t *testing.T, file string) report {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestPageIsAsItWas(t *testing.T) {
	if *update {
		if err := again(made, "testdata/page/benchmarks.md"); err != nil {
			t.Fatal(err)
		}
	}
	samePages(t, render(t, made), pages(t, "testdata/page"))
}

// The page keeps enough of its run to be made again. So after a change of this program nobody
// has to measure again.
func TestPageIsMadeAgainOfWhatItKeeps(t *testing.T) {
	folder := t.TempDir()
	page := filepath.Join(folder, "benchmarks.md")
	if err := again(made, page); err != nil {
		t.Fatal(err)
	}
	first := pages(t, folder)
	if strings.Contains(first[runFile], "2026") || strings.Contains(first[runFile], "pairs") {
		t.Errorf("it keeps when it was, or samples:\n%s", first[runFile])
	}
	if err := again(filepath.Join(folder, "benchmarks", runFile), page); err != nil {
		t.Fatal(err)
	}
	samePages(t, pages(t, folder), first)
}

// The page in docs is exactly what this program makes from the run beside it. So nobody has
// edited it, and it has the form that this program writes now.
func TestPublishedPageIsItsRun(t *testing.T) {
	published := pages(t, "../../docs")
	samePages(t, published, render(t, "../../docs/benchmarks/"+runFile))
}

var (
	number = regexp.MustCompile(`^([0-9.]+)×$`)
	spread = regexp.MustCompile(`^([0-9.]+)–([0-9.]+)×$`)
)

// near reports whether a text is the number, rounded to three digits or to two decimal
// places.
func near(text string, want float64) bool {
	got, err := strconv.ParseFloat(text, 64)
	return err == nil && math.Abs(got-want) <= max(0.006*want, 0.005001)
}

// TestPageSaysWhatTheRunFound reads the tables back without the code that writes them.
func TestPageSaysWhatTheRunFound(t *testing.T) {
	r, page := readRun(t, made), render(t, made)["benchmarks.md"]
	var rows [][]string
	for text := range strings.Lines(page) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(text), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if _, err := strconv.Atoi(cells[0]); err == nil && len(cells) == 8 {
			rows = append(rows, cells)
		}
	}
	if len(rows) != len(r.Lines) {
		t.Fatalf("the tables have %d rows, want %d", len(rows), len(r.Lines))
	}
	slices.SortStableFunc(rows, func(a, b []string) int { // because memory is at the end of the page
		x, _ := strconv.Atoi(a[0])
		y, _ := strconv.Atoi(b[0])
		return x - y
	})
	for i, l := range r.Lines {
		cells := rows[i]
		if cells[0] != strconv.Itoa(l.Row) || !strings.HasSuffix(l.What, strings.TrimSuffix(cells[1], ": "+l.Variant)) || cells[5] != strconv.Itoa(len(l.Found.Ratios)) {
			t.Errorf("%q is about another line than %+v", cells, l)
		}
		ratio, ends := number.FindStringSubmatch(cells[3]), spread.FindStringSubmatch(cells[4])
		switch {
		case len(l.Found.Ratios) == 0:
			if cells[3] != "not measured" || cells[4] != "" || cells[7] != "" {
				t.Errorf("%q should say that it was not measured", cells)
			}
			continue
		case ratio == nil || ends == nil:
			t.Errorf("%q lacks a ratio", cells)
			continue
		}
		if !near(ratio[1], l.Found.Ratio) || !near(ends[1], slices.Min(l.Found.Ratios)) || !near(ends[2], slices.Max(l.Found.Ratios)) {
			t.Errorf("%q is not what was found: %+v", cells, l.Found)
		}
		if verdict := strings.Trim(strings.Split(cells[7], ",")[0], "*"); l.Holds == nil && verdict != "" ||
			l.Holds != nil && verdict != map[bool]string{true: "reached", false: "missed"}[*l.Holds] {
			t.Errorf("%q says %q of a gate that is %v", cells, verdict, l.Gate)
		}
	}
}

func TestPageHidesNothing(t *testing.T) {
	page := render(t, made)["benchmarks.md"]
	for _, want := range []string{
		"AMD EPYC, 2 cores, linux/amd64", "go1.26.8", "56d936c0251d80b8c94ac2350b53b7de2bae7222 with changes", "| objects | 100000 |",
		"`make bench-report`", "6 of 10 gates are reached. Missed:\n\n* ", "* store, Update, indexers=3, time: 0.56×, where the gate is ≥ 0.60×\n",
		"allocations: 4.20, where the gate is ≤ 4.00", "Row 21 went wrong: run ours: it took longer than 2m0s\n", "This run left out 22 of 30 rows: 1, 2, ",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	// Nanoseconds would be about the machine, not about the program.
	if found := regexp.MustCompile(`[0-9] ?(ns|µs|ms)\b`).FindString(page); found != "" {
		t.Errorf("the page shows a time: %q", found)
	}
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

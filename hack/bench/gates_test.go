package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// lastRow is the highest number a row can have: names spell it with two digits.
const lastRow = 99

func TestPromisesAreWellFormed(t *testing.T) {
	previous := 0
	for _, p := range promises {
		if p.row <= previous || p.row > lastRow {
			t.Errorf("row %d comes after row %d", p.row, previous)
		}
		previous = p.row
		if p.what == "" || p.metric == "" || len(p.gates) == 0 {
			t.Errorf("row %d has a gap: %+v", p.row, p)
		}
		if !hasBenchmark(t, p) {
			t.Errorf("row %d has no benchmark in the folder %q", p.row, p.folder)
		}
		for _, g := range p.gates {
			if _, err := path.Match(g.variant, ""); err != nil {
				t.Errorf("row %d, gate %q: %v", p.row, g.variant, err)
			}
			if g.ratio != 0 && g.most != 0 {
				t.Errorf("row %d, gate %q has both a ratio and a most", p.row, g.variant)
			}
			if !g.judges() && g.metric == "" {
				t.Errorf("row %d, gate %q has no condition and shows no other figure", p.row, g.variant)
			}
		}
	}
}

func hasBenchmark(t *testing.T, p promise) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", p.folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(text), fmt.Sprintf("\nfunc BenchmarkRow%02d_", p.row))
	})
}

func reportOf(row int, wanted map[int]bool, ours, incumbent metrics) *report {
	r := &report{Pairs: []*pair{{Row: row, What: "X", Ours: []metrics{ours}, Incumbent: []metrics{incumbent}}}}
	r.judge(wanted)
	return r
}

func TestGateDecides(t *testing.T) {
	for _, tt := range []struct {
		name            string
		row             int
		ours, incumbent metrics
		holds           bool
	}{
		{"ratio reached", 1, metrics{"cpu-ns/op": 100}, metrics{"cpu-ns/op": 150}, true},
		{"ratio missed", 1, metrics{"cpu-ns/op": 101}, metrics{"cpu-ns/op": 150}, false},
		{"more is better", 10, metrics{"events/s": 150}, metrics{"events/s": 100}, true},
		{"at most", 10, metrics{"allocs/event": 4}, metrics{"allocs/event": 2}, true},
		{"above at most", 10, metrics{"allocs/event": 4.1}, metrics{"allocs/event": 9}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := reportOf(tt.row, map[int]bool{tt.row: true}, tt.ours, tt.incumbent)
			i := slices.IndexFunc(r.Lines, func(l line) bool { return l.Holds != nil })
			if i < 0 || r.Lines[i].Row != tt.row {
				t.Fatalf("lines are %+v, want row %d to be judged", r.Lines, tt.row)
			}
			if holds := *r.Lines[i].Holds; holds != tt.holds {
				t.Errorf("holds is %v, want %v", holds, tt.holds)
			}
		})
	}
}

func TestOneVariantCanHaveSeveralGates(t *testing.T) {
	p := promises[len(promises)-1]
	p.gates = []gate{{variant: "a=*", ratio: 2}, {variant: "a=1", metric: "B/op", ratio: 1}}
	if got := p.gatesOf("a=1"); len(got) != 2 || got[0].metric != p.metric || got[1].metric != "B/op" {
		t.Errorf("gates are %+v", got)
	}
	if got := p.gatesOf("b"); len(got) != 1 || got[0].judges() {
		t.Errorf("a variant without a gate has %+v", got)
	}
}

func TestMissingRowsAreShown(t *testing.T) {
	r := reportOf(4, map[int]bool{4: true, 6: true}, metrics{"ns/op": 100}, metrics{"ns/op": 100})
	if !r.missing() {
		t.Error("row 6 was not measured and is not missing")
	}
	if page := r.page(); !strings.Contains(page, "| 1.00× |") || !strings.Contains(page, "| not measured |") {
		t.Errorf("the page is\n%s", page)
	}
}

// TestRowsBesideOthersAreMeasuredThere checks that another row's processes can measure a row:
// that row has processes, and they run for the same time.
func TestRowsBesideOthersAreMeasuredThere(t *testing.T) {
	for _, p := range promises {
		if p.beside == 0 {
			continue
		}
		i := slices.IndexFunc(promises, func(host promise) bool { return host.row == p.beside })
		switch {
		case i < 0:
			t.Errorf("row %d is beside %d, which does not exist", p.row, p.beside)
		case promises[i].beside != 0 || promises[i].time() != p.time():
			t.Errorf("row %d is beside %d, which has no processes, or runs for another time", p.row, p.beside)
		case !promises[i].together(p.row) || p.together(p.beside):
			t.Errorf("row %d is not measured with %d", p.row, p.beside)
		}
	}
}

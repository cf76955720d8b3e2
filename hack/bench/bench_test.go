package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// module is a module with the benchmarks of some rows, in the folders where those have theirs.
var module = map[string]string{
	"go.mod": "module example.com/m\n\ngo 1.24\n",
	"pkg/toolscache/a_test.go": `package a

import (
	"os"
	"testing"
)

func variants(b *testing.B, names ...string) {
	size := len(os.Getenv("BENCH_SIZE")) / 4 // one, if it is passed on
	for _, variant := range names {
		for side, cost := range map[string]float64{"ours": 10, "incumbent": 90} {
			b.Run(variant+side, func(b *testing.B) {
				b.ReportMetric(cost*float64(size), "cpu-ns/op")
			})
		}
	}
}

func BenchmarkRow01_Add(b *testing.B) { variants(b, "", "own/") }
func BenchmarkRow02_Hot(b *testing.B) { variants(b, "", "in=1/deep=2/c=3/d=4/") }
`,
	"pkg/toolscache/b_test.go": `package a

import "testing"

func BenchmarkRow03_Broken(b *testing.B) { b.Run("ours", func(b *testing.B) { b.Fatal("no such luck") }) }
`,
	"internal/engine/store/c_test.go": `package c

import (
	"testing"
	"time"
)

func BenchmarkRow04_Hanging(b *testing.B) { b.Run("ours", func(b *testing.B) { time.Sleep(time.Hour) }) }
`,
}

func writeModule(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range module {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestRunMeasuresBothSidesInTurn(t *testing.T) {
	root := writeModule(t)
	file, page := filepath.Join(root, "out", "page", runFile), filepath.Join(root, "out", "page.md")
	var out, progress bytes.Buffer
	args := []string{"-root", root, "-rows", "[12]", "-rounds", "3", "-size", "1000", "-report", page}
	if err := run(t.Context(), args, &out, &progress); err != nil {
		t.Fatalf("%v\n%s%s", err, progress.String(), out.String())
	}
	said, err := os.ReadFile(page)
	if want := "| 1 | add and pop, distinct keys | CPU time | 9.00× | 9.00–9.00× | 2 | ≥ 1.50× | reached |\n"; !strings.Contains(string(said), want) {
		t.Errorf("the page lacks %q (error %v):\n%s", want, err, said)
	}
	r := runIn(t, file)
	if len(r.Lines) != 4 {
		t.Fatalf("%d lines, want 4: %+v", len(r.Lines), r)
	}
	for _, l := range r.Lines {
		if f := l.Found; f.Ours != 10 || f.Incumbent != 90 || !slices.Equal(f.Ratios, []float64{9, 9}) {
			t.Errorf("row %d %q is %+v, want 10 and 90 in two rounds", l.Row, l.Variant, f)
		}
	}
	turns := regexp.MustCompile(`row 1, .*: (\w+)`).FindAllStringSubmatch(progress.String(), -1)
	if len(turns) != 4 || turns[0][1] != ours || turns[1][1] != incumbent || turns[2][1] != incumbent || turns[3][1] != ours {
		t.Errorf("turns were %v, want ours, incumbent, incumbent, ours", turns)
	}
}

func TestRunGoesOnAfterAFailure(t *testing.T) {
	var out, progress bytes.Buffer
	err := run(t.Context(), []string{"-root", writeModule(t), "-rows", "1|3", "-rounds", "1"}, &out, &progress)
	if !errors.Is(err, errNotMeasured) {
		t.Errorf("error is %v, want %v", err, errNotMeasured)
	}
	if !strings.Contains(progress.String(), "no such luck") {
		t.Errorf("the progress output does not say why row 3 failed:\n%s", progress.String())
	}
	if !strings.Contains(out.String(), "9.00×") {
		t.Errorf("row 1 is missing:\n%s", out.String())
	}
}

func TestHangingBenchmarkSaysWhere(t *testing.T) {
	root := writeModule(t)
	var progress bytes.Buffer
	b, err := prepare(t.Context(), settings{root: root, rows: regexp.MustCompile("^4$"), rounds: 1, size: 1}, &progress)
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	b.patience = time.Second
	if _, err := b.measure(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"run ours of the rows 04 in internal/engine/store", "it took longer than 1s", "SIGQUIT"} {
		if !strings.Contains(progress.String(), want) {
			t.Errorf("the progress output lacks %q:\n%s", want, progress.String())
		}
	}
}

func TestSettingsThatMakeNoSense(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "0"}, {"-size", "-1"}, {"-rows", "x"}, {"-rows", "("}, {"-size", "0"}, {"extra"}, {"-nonsense"}} {
		if err := run(t.Context(), args, &bytes.Buffer{}, &bytes.Buffer{}); err == nil {
			t.Errorf("%q was accepted", args)
		}
	}
}

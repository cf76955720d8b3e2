package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// growing is a module whose benchmark takes as long as there are objects, and its incumbent the square of that.
var growing = map[string]string{
	"go.mod": "module example.com/m\n\ngo 1.24\n",
	"a/a_test.go": `package a

import (
	"os"
	"strconv"
	"testing"
)

func BenchmarkRow03_Replace(b *testing.B) {
	n, _ := strconv.ParseFloat(os.Getenv("BENCH_SIZE"), 64)
	b.Run("ours", func(b *testing.B) { b.ReportMetric(n, "cpu-ns/op") })
	b.Run("incumbent", func(b *testing.B) { b.ReportMetric(n*n, "cpu-ns/op") })
}
`,
}

// TestGrowth measures other sizes, and reads the table back. A size that is larger than a row allows has an empty cell.
func TestGrowth(t *testing.T) {
	root := t.TempDir()
	for name, text := range growing {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, page := filepath.Join(root, "bench.json"), filepath.Join(root, "page.md")
	var out, progress bytes.Buffer
	args := []string{"-root", root, "-rows", "3", "-rounds", "1", "-size", "100", "-sizes", "10,100,1000,2000000", "-json", file, "-report", page}
	if err := run(t.Context(), args, &out, &progress); err != nil {
		t.Fatalf("%v\n%s", err, progress.String())
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Growth) != 3 || r.Growth[0].Size != 10 || len(r.Growth[2].Lines) != 0 {
		t.Errorf("the growth is %+v", r.Growth)
	}
	if text, err = os.ReadFile(page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| row | | 10 | 100 | 1000 | 2000000 |\n",
		"| 3 | DeltaFIFO, Replace of unchanged objects | 10.0×, 1.00 | 100×, 10.0 | 1000×, 100 | |\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
}

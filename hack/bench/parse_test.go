package main

import (
	"maps"
	"math"
	"strings"
	"testing"
)

const output = `goos: linux
cpu: Some Processor @ 2 GHz
I1120 12:19:43.172889   10482 some.go:983] "a line somebody logged"
BenchmarkRow05_StoreUpdate/indexers=3/ours-2         	  490454	      1027 ns/op	     904.8 B/event
BenchmarkRow05_StoreUpdate/indexers=3/incumbent-2    	       1	   1.5e+03 ns/op
BenchmarkRow25_PendingTimer/ours   1   182.0 B/item
BenchmarkOther/ours-2                                	     100	        12 ns/op
BenchmarkRow05_StoreUpdate/indexers=3/ours-2         	--- FAIL: something
PASS
`

func TestParse(t *testing.T) {
	results, cpu, err := parse(strings.NewReader(output))
	if err != nil {
		t.Fatal(err)
	}
	if cpu != "Some Processor @ 2 GHz" {
		t.Errorf("processor is %q", cpu)
	}
	want := []result{
		{benchName{5, "StoreUpdate", "indexers=3", ours}, map[string]float64{"ns/op": 1027, "B/event": 904.8}},
		{benchName{5, "StoreUpdate", "indexers=3", incumbent}, map[string]float64{"ns/op": 1500}},
		{benchName{25, "PendingTimer", "", ours}, map[string]float64{"B/item": 182}},
	}
	if len(results) != len(want) {
		t.Fatalf("%d results, want %d: %v", len(results), len(want), results)
	}
	for i, r := range results {
		if r.name != want[i].name || !maps.Equal(r.metrics, want[i].metrics) {
			t.Errorf("result %d is %v, want %v", i, r, want[i])
		}
	}
}

func TestParseName(t *testing.T) {
	for name, want := range map[string]benchName{
		"BenchmarkRow01_Add/ours-2":               {1, "Add", "", ours},
		"BenchmarkRow01_Add/ours":                 {1, "Add", "", ours},
		"BenchmarkRow22_Q/a=b/c=d-e/incumbent-16": {22, "Q", "a=b/c=d-e", incumbent},
		"BenchmarkRow22_Q/n=-1/incumbent-16":      {22, "Q", "n=-1", incumbent},
	} {
		if got, ok := parseName(name); !ok || got != want {
			t.Errorf("parseName(%q) = %v, %v; want %v", name, got, ok, want)
		}
	}
	for _, name := range []string{
		"", "BenchmarkRow01_Add", "BenchmarkRow01_Add/theirs-2", "BenchmarkRow1_Add/ours", "BenchmarkRowing/ours",
		"BenchmarkRow01_Add/ours/more-2", "Row01_Add/ours", "BenchmarkRow01_/ours",
	} {
		if got, ok := parseName(name); ok {
			t.Errorf("parseName(%q) = %v, want it refused", name, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(output)
	f.Add("BenchmarkRow01_A/ours 1 NaN ns/op")
	f.Add("BenchmarkRow01_A/ours 1 1e999 ns/op 2")
	f.Fuzz(func(t *testing.T, text string) {
		results, _, err := parse(strings.NewReader(text))
		if err != nil {
			return // a line too long to be one
		}
		for _, r := range results {
			if r.name.row < 0 || r.name.row > lastRow || r.name.what == "" || len(r.metrics) == 0 {
				t.Errorf("%v is not the result of a row", r)
			}
			for unit, value := range r.metrics {
				if !(value >= 0) || math.IsInf(value, 0) {
					t.Errorf("%s is %v: no benchmark measures that, and JSON can't hold it", unit, value)
				}
			}
		}
	})
}

package savefile

import (
	"encoding/json"
	"errors"
	"io"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
)

// kinds of directory that the benchmarks compare.
var kinds = []struct {
	name string
	opts Options
}{
	{"checksums", Options{}},
	{"key", Options{Key: key}},
}

// pods are what a cache of Pods saves.
func pods(tb testing.TB) (records [][]byte, size int64) {
	tb.Helper()
	for _, pod := range benchkit.Pods(benchkit.Size(tb)) {
		record, err := json.Marshal(pod)
		if err != nil {
			tb.Fatal(err)
		}
		records = append(records, record)
		size += int64(len(record))
	}
	return records, size
}

func BenchmarkWrite(b *testing.B) {
	records, size := pods(b)
	for _, k := range kinds {
		b.Run(k.name, func(b *testing.B) {
			d := opened(b, b.TempDir(), k.opts)
			b.ReportAllocs()
			b.ResetTimer()
			cpu := benchkit.StartCPU()
			for range b.N {
				write(b, d, records)
			}
			report(b, cpu, len(records), size)
			used, err := d.tidy()
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(used)/float64(len(records)), "file-B/item")
		})
	}
}

func BenchmarkRead(b *testing.B) {
	records, size := pods(b)
	for _, k := range kinds {
		b.Run(k.name, func(b *testing.B) {
			d := opened(b, b.TempDir(), k.opts)
			write(b, d, records)
			b.ReportAllocs()
			b.ResetTimer()
			cpu := benchkit.StartCPU()
			for range b.N {
				if n := count(b, d); n != len(records) {
					b.Fatalf("%d records were read, want %d", n, len(records))
				}
			}
			report(b, cpu, len(records), size)
		})
	}
}

// report says what each object costs.
func report(b *testing.B, cpu *benchkit.CPU, objects int, size int64) {
	b.Helper()
	cpu.Report(b, b.N*objects)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*objects), "ns/item")
	b.ReportMetric(float64(size)/float64(objects), "B/item")
}

func write(b *testing.B, d *Dir, records [][]byte) {
	b.Helper()
	w, err := d.Create("pods.v1", nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, record := range records {
		if err := w.Record(record); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		b.Fatal(err)
	}
}

func count(b *testing.B, d *Dir) (n int) {
	b.Helper()
	r, err := d.Open("pods.v1")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	for {
		switch _, err := r.Next(); {
		case errors.Is(err, io.EOF):
			return n
		case err != nil:
			b.Fatal(err)
		}
		n++
	}
}

package imprint_test

import (
	"encoding/json"
	"runtime"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/decode"
	"github.com/delta-runtime/delta-runtime/internal/imprint"
	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
)

// cached returns n Pods as a cache has them: what is equal in two Pods of one owner is shared.
func cached(tb testing.TB, n int) []any {
	tb.Helper()
	codec, err := decode.TypeOf(&corev1.Pod{})
	if err != nil {
		tb.Fatal(err)
	}
	decoder, like := codec.NewDecoder(), map[string]any{}
	objs := make([]any, 0, n)
	for _, pod := range benchkit.Pods(n) {
		text, err := json.Marshal(pod)
		if err != nil {
			tb.Fatal(err)
		}
		owner := string(metav1.GetControllerOfNoCopy(pod).UID)
		obj, _, ok := decoder.JSON(text, like[owner])
		if !ok {
			tb.Fatal("a Pod is refused")
		}
		like[owner] = obj
		objs = append(objs, obj)
	}
	return objs
}

// records writes objects. Where each ends is in the second result.
func records(tb testing.TB, objs []any) (all []byte, ends []int) {
	tb.Helper()
	w := newWriter(tb, objs[0])
	for _, obj := range objs {
		var err error
		if all, err = w.Append(all, obj); err != nil {
			tb.Fatal(err)
		}
		ends = append(ends, len(all))
	}
	return all, ends
}

func newWriter(tb testing.TB, example any) *imprint.Writer {
	tb.Helper()
	known, err := imprint.TypeOf(example)
	if err != nil {
		tb.Fatal(err)
	}
	return imprint.NewWriter(known)
}

func newReader(tb testing.TB, example any) *imprint.Reader {
	tb.Helper()
	known, err := imprint.TypeOf(example)
	if err != nil {
		tb.Fatal(err)
	}
	return imprint.NewReader(known)
}

// read returns the objects of some records.
func read(tb testing.TB, example any, all []byte, ends []int) []any {
	tb.Helper()
	r := newReader(tb, example)
	objs, begin := make([]any, 0, len(ends)), 0
	for _, end := range ends {
		obj, err := r.Next(all[begin:end:end])
		if err != nil {
			tb.Fatal(err)
		}
		objs, begin = append(objs, obj), end
	}
	return objs
}

const benchmarked = 5000

// BenchmarkPods is what it costs to write and to read a Pod of a cache.
func BenchmarkPods(b *testing.B) {
	objs := cached(b, benchmarked)
	all, ends := records(b, objs)
	b.Run("write", func(b *testing.B) {
		b.ReportAllocs()
		cpu := benchkit.StartCPU()
		rounds := 0
		for b.Loop() {
			records(b, objs)
			rounds++
		}
		cpu.Report(b, rounds*len(objs))
		b.ReportMetric(float64(len(all))/float64(len(objs)), "B/item")
	})
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		cpu := benchkit.StartCPU()
		rounds := 0
		for b.Loop() {
			read(b, objs[0], all, ends)
			rounds++
		}
		cpu.Report(b, rounds*len(objs))
	})
	runtime.KeepAlive(objs)
}

package decode_test

import (
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/delta-runtime/delta-runtime/internal/decode"
	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
)

// BenchmarkJSON is what it costs to make a Pod of its JSON: as apimachinery does it, and here like nothing, like its
// last version and like another Pod of its owner.
func BenchmarkJSON(b *testing.B) {
	pods := benchkit.Pods(2)
	measure(b, asJSON, [2]any{pods[0], benchkit.Private(pods[1])}, []byte(encoded(pods[0])))
}

// BenchmarkProto is BenchmarkJSON with protobuf.
func BenchmarkProto(b *testing.B) {
	pods := benchkit.Pods(2)
	measure(b, asProto, [2]any{pods[0], benchkit.Private(pods[1])}, sent(pods[0]))
}

// BenchmarkUnstructured is BenchmarkJSON with objects of no Go type.
func BenchmarkUnstructured(b *testing.B) {
	var free [2]any
	for i, pod := range benchkit.Pods(2) {
		var err error
		if free[i], err = judgeJSON(&subject{typ: reflect.TypeFor[unstructured.Unstructured]()}, []byte(encoded(pod))); err != nil {
			b.Fatal(err)
		}
	}
	measure(b, asJSON, free, []byte(encoded(contents(free[0]))))
}

// measure decodes data, which is the first of two siblings.
func measure(b *testing.B, f form, siblings [2]any, data []byte) {
	b.Helper()
	s := newSubject(b, siblings[0])
	self, err := f.judge(s, data)
	if err != nil {
		b.Fatal(err)
	}
	run := func(name string, do func() bool) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if !do() {
					b.Fatal("it is refused")
				}
			}
		})
	}
	run("incumbent", func() bool { _, err := f.judge(s, data); return err == nil })
	for _, tt := range []struct {
		name string
		like any
	}{{"fresh", nil}, {"self", self}, {"sibling", siblings[1]}} {
		run(tt.name, func() bool { _, _, ok := f.decode(s, data, tt.like); return ok })
	}
}

// BenchmarkReadHead is what it costs to see that a Pod is known already.
func BenchmarkReadHead(b *testing.B) {
	pod := benchkit.Pods(1)[0]
	text, message := []byte(encoded(pod)), sent(pod)
	s := newSubject(b, &corev1.Pod{})
	b.Run("JSON", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, ok := decode.ReadHead(text, true); !ok || decode.Pass(text) == 0 {
				b.Fatal("there is no head")
			}
		}
	})
	b.Run("protobuf", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, ok := s.codec.ReadProtoHead(message); !ok {
				b.Fatal("there is no head")
			}
		}
	})
}

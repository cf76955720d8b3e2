package diff

import (
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
)

// BenchmarkDiff compares two states of a Pod with one changed field. It also measures what
// operators do today: DeepEqual, which only says that something differs, and a patch, which
// says what.
func BenchmarkDiff(b *testing.B) {
	before := benchkit.Pods(1)[0].DeepCopy()
	before.APIVersion, before.Kind = "v1", "Pod"
	after := before.DeepCopy()
	after.ResourceVersion, after.Spec.Containers[0].Image = "2", "registry.example.com/other:1"
	side := func(name string, f func() bool) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			cpu, n := benchkit.StartCPU(), 0
			for b.Loop() {
				n++
				if !f() {
					b.Fatal("wrong answer")
				}
			}
			cpu.Report(b, n)
		})
	}
	touches := func(schemas Schemas) func() bool {
		return func() bool { return New(before, after, schemas).Touches("spec.containers[*].image") }
	}
	touches(samples.Builtin)() // this loads the schemas
	side("delta/schema", touches(samples.Builtin))
	side("delta/deduced", touches(nil))
	side("delta/text", func() bool { return New(before, after, samples.Builtin).String() != "" })
	side("delta/unasked", func() bool { return New(before, after, samples.Builtin) != nil })
	side("incumbent/DeepEqual", func() bool { return !equality.Semantic.DeepEqual(before.Spec, after.Spec) }) // ends at the first difference
	equal := before.DeepCopy()
	side("incumbent/DeepEqual-equal", func() bool { return equality.Semantic.DeepEqual(before, equal) })
	side("incumbent/patch", func() bool { return len(patch(b, before, after)) > 0 })
}

func patch(b *testing.B, before, after *corev1.Pod) []byte {
	b.Helper()
	old, err := json.Marshal(before)
	if err != nil {
		b.Fatal(err)
	}
	now, err := json.Marshal(after)
	if err != nil {
		b.Fatal(err)
	}
	made, err := strategicpatch.CreateTwoWayMergePatch(old, now, corev1.Pod{})
	if err != nil {
		b.Fatal(err)
	}
	return made
}

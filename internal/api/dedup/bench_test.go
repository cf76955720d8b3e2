package dedup_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/delta-runtime/delta-runtime/internal/api/dedup"
	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
)

// BenchmarkAgainst is what an object costs that arrives. DeepCopy shows what else one
// could do with it in that time.
func BenchmarkAgainst(b *testing.B) {
	pods := benchkit.Pods(benchkit.PodsPerOwner + 1)
	for _, tt := range []struct {
		name      string
		obj, like *corev1.Pod
	}{
		{"like=its-last-version", benchkit.Changed(pods[0], 12345678), pods[0]},
		{"like=a-sibling", pods[1], pods[0]},
		{"like=a-stranger", pods[benchkit.PodsPerOwner], pods[0]},
	} {
		like := tt.like.DeepCopy()
		b.Run(tt.name, func(b *testing.B) {
			b.ReportAllocs()
			perObject(b, tt.obj, func(pod *corev1.Pod) { dedup.Against(pod, like) })
		})
	}
	b.Run("DeepCopy", func(b *testing.B) {
		b.ReportAllocs()
		perObject(b, pods[0], func(pod *corev1.Pod) { pod.DeepCopy() })
	})
}

// perObject does something to objects. Each of them is new.
func perObject(b *testing.B, obj *corev1.Pod, do func(*corev1.Pod)) {
	b.Helper()
	objs := make([]*corev1.Pod, 1000)
	for i := range b.N {
		if i%len(objs) == 0 {
			b.StopTimer()
			for j := range objs {
				objs[j] = obj.DeepCopy()
			}
			b.StartTimer()
		}
		do(objs[i%len(objs)])
	}
}

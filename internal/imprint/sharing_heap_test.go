//go:build slow

package imprint_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
)

// TestSharing sees that what Pods share is shared when they are read: by what the heap holds.
func TestSharing(t *testing.T) {
	const n = 20_000
	all, ends, saved := func() ([]byte, []int, float64) {
		heap := benchkit.StartHeap()
		objs := cached(t, n)
		saved := heap.Grown(n, objs)
		all, ends := records(t, objs)
		return all, ends, saved
	}()
	heap := benchkit.StartHeap()
	got := read(t, &corev1.Pod{}, all, ends)
	now := heap.Grown(n, got)
	t.Logf("a Pod takes %.0f bytes, and %.0f when it was read", saved, now)
	if now > saved*1.1 {
		t.Errorf("a Pod takes %.0f bytes, and had taken %.0f", now, saved)
	}
}

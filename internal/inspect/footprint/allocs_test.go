//go:build !race

package footprint

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
)

// The race detector's builds lose some of what is kept for the next walk.

func TestOfDoesNotAllocate(t *testing.T) {
	p, u := pod(), &unstructured.Unstructured{Object: samples.Tree(samples.Web())}
	if n := testing.AllocsPerRun(100, func() { Of(u) }); n > 0 {
		t.Errorf("an unstructured object costs %v allocations", n)
	}
	if n := testing.AllocsPerRun(100, func() { Of(p) }); n > 9 { // three for each map of quantities
		t.Errorf("a Pod costs %v allocations", n)
	}
}

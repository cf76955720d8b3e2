package answers

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
)

// TestASampleThatEndsEarlyIsEven looks at each beginning of samples of several sizes.
func TestASampleThatEndsEarlyIsEven(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 7, 64, 500, 999} {
		order := slices.Collect(spread(n))
		all := slices.Sorted(slices.Values(order))
		for i, at := range all {
			if i != at {
				t.Fatalf("of %d numbers %d is missing or there twice", n, i)
			}
		}
		if len(all) != n {
			t.Fatalf("of %d numbers there are %d", n, len(all))
		}
		for most := 1; most <= n; most++ {
			begin := append(slices.Sorted(slices.Values(order[:most])), n)
			before, widest := 0, 0
			for _, at := range begin {
				widest, before = max(widest, at-before), at
			}
			if widest > 4*n/most+1 {
				t.Fatalf("the first %d of %d leave out %d in a row: %v", most, n, widest, order[:most])
			}
		}
	}
}

// askMemory asks for the memory of a kind, also while somebody else does and when no time is left.
func askMemory(t *testing.T, o *Operator) {
	t.Helper()
	m, err := o.Memory(t.Context(), "v1 Pod")
	if err != nil || m.Truncated || m.Sampled < sampled || m.Objects != many || m.Bytes == 0 {
		t.Errorf("of %d Pods the memory is %+v, %v", many, m, err)
	}
	measuring.Store(true)
	if _, err := o.Memory(t.Context(), "v1 Pod"); !errors.Is(err, inspector.ErrBusy) {
		t.Errorf("a second one who asks is told %v", err)
	}
	measuring.Store(false)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if m, err := o.Memory(ctx, "v1 Pod"); err != nil || !m.Truncated || m.Sampled != 0 || m.Objects != many {
		t.Errorf("without time the memory is %+v, %v", m, err)
	}
	if m, err := o.Memory(t.Context(), "v1 Pod"); err != nil || m.Truncated {
		t.Errorf("at last the memory is %+v, %v", m, err)
	}
}

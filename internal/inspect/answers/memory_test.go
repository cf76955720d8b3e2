package answers

import (
	"context"
	"errors"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
)

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

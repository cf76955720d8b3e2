package inspector_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/inspector"
	"github.com/delta-runtime/delta-runtime/internal/testing/toyoperator"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// busy is an operator that measures for somebody else.
type busy struct{ inspector.Subject }

func (busy) Memory(context.Context, string) (v1.Memory, error) {
	return v1.Memory{}, fmt.Errorf("measure: %w", inspector.ErrBusy)
}

func TestABusyOperatorSaysSo(t *testing.T) {
	h := inspector.New(busy{toyoperator.New()}, inspector.Options{})
	p := problem(t, answer(h, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/delta/v1/memory?kind=sites", http.NoBody)))
	if p.Status != http.StatusTooManyRequests || p.Message == "" {
		t.Errorf("the answer is %+v", p)
	}
}

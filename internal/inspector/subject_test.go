package inspector_test

import (
	"context"
	"fmt"
	"net/http"
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
	a := answer(h, get(t, "/delta/v1/memory?kind=sites"))
	p := problem(t, a)
	if p.Status != http.StatusTooManyRequests || p.Message == "" || a.header.Get("Retry-After") == "" {
		t.Errorf("the answer is %+v", p)
	}
}

// named knows the names of what there is, and must not be asked for more.
type named struct{ inspector.Subject }

func (named) Kinds() v1.KindList             { panic("BUG: a status was built for a name") }
func (named) Controllers() v1.ControllerList { panic("BUG: a status was built for a name") }

func TestANameIsFoundWithoutAStatus(t *testing.T) {
	h := inspector.New(named{toyoperator.New()}, inspector.Options{})
	for path, want := range map[string]int{
		"deltas?kind=sites": http.StatusOK, "deltas?kind=nonsense": http.StatusNotFound,
		"reconciles?controller=site": http.StatusOK, "queues?controller=nonsense": http.StatusNotFound,
	} {
		a := answer(h, get(t, "/delta/v1/"+path))
		if a.status != want {
			t.Errorf("%s is answered with %d, want %d", path, a.status, want)
		}
	}
}

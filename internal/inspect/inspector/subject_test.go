package inspector_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
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

// TestOneKindIsAskedFor asks for the status of one kind.
func TestOneKindIsAskedFor(t *testing.T) {
	h := inspector.New(toyoperator.New(), inspector.Options{})
	var list v1.KindList
	if err := json.Unmarshal(answer(h, get(t, "/delta/v1/kinds?kind=po")).body, &list); err != nil || len(list.Items) != 1 || list.Items[0].Name != toyoperator.Pod {
		t.Errorf("the answer is %+v, %v", list, err)
	}
	if p := problem(t, answer(h, get(t, "/delta/v1/kinds?kind=nets"))); p.Status != http.StatusNotFound {
		t.Errorf("for a kind that there is not, the answer is %+v", p)
	}
}

// named knows the names of what there is, and must not be asked for more.
type named struct{ inspector.Subject }

func (named) Kinds(string) v1.KindList       { panic("BUG: a status was built for a name") }
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

package inspector_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/testing/toyoperator"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// forbidden is an operator whose server refuses a list for hours.
type forbidden struct {
	inspector.Subject
	why error
}

func (f forbidden) Relist(ctx context.Context, _ string) (v1.Done, error) {
	<-ctx.Done()
	return v1.Done{}, f.why
}

func (f forbidden) Why(_, _, _ string) (v1.Why, error) { return v1.Why{}, f.why }

// A list may take long. The answer does not wait for it, and says how the kind is doing.
func TestAListThatDoesNotCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := inspector.New(forbidden{toyoperator.New(), errors.New("sites is forbidden")}, inspector.Options{Actions: true})
		a := post(t, h, "relist", `{"kind":"sites"}`)
		var done v1.Done
		if err := json.Unmarshal(a.body, &done); err != nil || a.status != http.StatusOK || !strings.Contains(done.Message, "has not come in 8s: sites is forbidden") {
			t.Errorf("the answer is %d %s (%v)", a.status, a.body, err)
		}
	})
}

// hurried is an operator in which something happens while a list of deltas is made.
type hurried struct{ *toyoperator.Operator }

func (o hurried) Deltas(q inspector.DeltaQuery) v1.DeltaList {
	o.Edit(toyoperator.Demo(toyoperator.Site, "blog"), "kubectl-edit")
	o.Edit(toyoperator.Demo(toyoperator.Pod, "late"), "kubelet")
	return o.Operator.Deltas(q)
}

// Of a kind that was read first, the list lacks what came meanwhile. So it is left to the stream, which begins at the cursor, with all
// that came later. The list has as many as it should all the same.
func TestNothingIsLostBetweenAListAndItsStream(t *testing.T) {
	toy := toyoperator.New()
	ends := toy.Newest()
	a := answer(inspector.New(hurried{toy}, inspector.Options{}), get(t, "/delta/v1/deltas?limit=3"))
	var list v1.DeltaList
	if err := json.Unmarshal(a.body, &list); err != nil || len(list.Items) != 3 {
		t.Fatalf("the answer is %d %s (%v)", a.status, a.body, err)
	}
	if newest := list.Items[0].ID; newest != ends || !strings.HasSuffix(list.Cursor, fmt.Sprint(".", ends)) {
		t.Errorf("the list ends at %d, and the stream begins after %s; the operator had %d", newest, list.Cursor, ends)
	}
}

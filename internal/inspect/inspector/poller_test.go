package inspector_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/internal/testing/toyoperator"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// TestAPollerMissesNothing asks for lists, each from where the one before ended, while an operator works. It gets each delta once.
func TestAPollerMissesNothing(t *testing.T) {
	seeds.Run(t, 100, func(t *testing.T, rng *rand.Rand) {
		toy := toyoperator.New()
		var operator inspector.Subject = toy
		if rng.IntN(2) == 0 {
			operator = narrow{toy, rng}
		}
		h := inspector.New(operator, inspector.Options{})
		list := func(query string) (l v1.DeltaList) {
			a := answer(h, get(t, "/delta/v1/deltas?"+query))
			if err := json.Unmarshal(a.body, &l); err != nil || a.status != http.StatusOK {
				t.Fatalf("%d %s: %v", a.status, a.body, err)
			}
			return l
		}
		filter := ""
		if rng.IntN(2) == 0 {
			filter = "&name=shop"
		}
		cursor := list("limit=1" + filter).Cursor
		var wrote, got []string
		for step := 0; step < 60 || len(got) < len(wrote); step++ {
			if step > 1000 {
				break
			}
			for n := rng.IntN(6); n > 0 && step < 60; n-- {
				kind := []string{toyoperator.Deployment, toyoperator.Site, toyoperator.Pod}[rng.IntN(3)]
				name, manager := []string{"shop", "blog"}[rng.IntN(2)], fmt.Sprint("writer-", len(wrote), "-", step, "-", n)
				toy.Scale(toyoperator.Demo(kind, name), manager, 1, 2)
				if filter == "" || name == "shop" {
					wrote = append(wrote, manager)
				}
			}
			l := list(fmt.Sprintf("since=%s&limit=%d%s", url.QueryEscape(cursor), 1+rng.IntN(4), filter))
			for _, d := range slices.Backward(l.Items) {
				got = append(got, d.Manager)
			}
			cursor = l.Cursor
		}
		if !slices.Equal(got, wrote) {
			t.Errorf("the poller got %d of %d deltas: %v, not %v", len(got), len(wrote), got, wrote)
		}
	})
}

// narrow is an operator whose answers have room for little.
type narrow struct {
	*toyoperator.Operator
	rng *rand.Rand
}

func (o narrow) Deltas(q inspector.DeltaQuery) v1.DeltaList {
	list := o.Operator.Deltas(q)
	if leave := o.rng.IntN(1 + len(list.Items)); q.First && leave < len(list.Items) {
		list.Items, list.Cut = list.Items[len(list.Items)-leave:], "some are left out"
	}
	return list
}

// TestAStreamThatBeginsAtTheEndIsRefused has a reader that comes again when the operator has ended its streams.
func TestAStreamThatBeginsAtTheEndIsRefused(t *testing.T) {
	done := make(chan struct{})
	close(done)
	h := inspector.New(toyoperator.New(), inspector.Options{Done: done})
	if a := answer(h, get(t, "/delta/v1/deltas/stream")); a.status != http.StatusServiceUnavailable {
		t.Errorf("it was answered with %d: %s", a.status, a.body)
	}
}

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

package inspector_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/testing/seeds"
	"github.com/delta-runtime/delta-runtime/internal/testing/toyoperator"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// TestAPollerMissesNothing asks for lists, each from where the one before ended, while an operator works. It gets each delta once.
func TestAPollerMissesNothing(t *testing.T) {
	seeds.Run(t, 100, func(t *testing.T, rng *rand.Rand) {
		toy := toyoperator.New()
		h := inspector.New(toy, inspector.Options{})
		list := func(query string) (l v1.DeltaList) {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/delta/v1/deltas?"+query, http.NoBody))
			if err := json.Unmarshal(w.Body.Bytes(), &l); err != nil || w.Code != http.StatusOK {
				t.Fatalf("%d %s: %v", w.Code, w.Body, err)
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

// TestAStreamThatBeginsAtTheEndIsRefused has a reader that comes again when the operator has ended its streams.
func TestAStreamThatBeginsAtTheEndIsRefused(t *testing.T) {
	done := make(chan struct{})
	close(done)
	w := httptest.NewRecorder()
	inspector.New(toyoperator.New(), inspector.Options{Done: done}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/delta/v1/deltas/stream", http.NoBody))
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("it was answered with %d: %s", w.Code, w.Body)
	}
}

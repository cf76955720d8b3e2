package page

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/ask"
	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/reach"
)

// silent never answers, as a node does that is gone.
type silent struct{}

func (silent) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// failing answers with an error.
type failing struct{}

func (failing) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("it was reset")
}

// TestAWayThatDoesNotAnswerIsReplaced asks along several. A request that a browser gives up says nothing of its way.
func TestAWayThatDoesNotAnswerIsReplaced(t *testing.T) {
	for name, test := range map[string]struct {
		way   http.RoundTripper
		after time.Duration // the browser gives up
		want  string
		ways  int
	}{
		"silence":      {silent{}, time.Hour, "the operator has not answered in 9s", 2},
		"an error":     {failing{}, time.Hour, "it was reset", 2},
		"no more wish": {silent{}, time.Second, "deadline exceeded", 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				opened := 0
				k := reach.Keep(func(context.Context) (*reach.Connection, error) {
					opened++
					return &reach.Connection{Client: &ask.Client{Where: "the operator", Transport: test.way}}, nil
				})
				to, err := k.Connection(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), test.after)
				defer cancel()
				r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1/delta/v1/kinds", http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := (patient{to}).RoundTrip(r); err == nil || !strings.Contains(err.Error(), test.want) { //nolint:bodyclose // there is none
					t.Errorf("the answer is %v, want %q", err, test.want)
				}
				if _, err := k.Connection(t.Context()); err != nil || opened != test.ways {
					t.Errorf("%d ways were opened (error %v), want %d", opened, err, test.ways)
				}
			})
		})
	}
}

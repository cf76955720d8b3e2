package operator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// page is somebody who looks at an operator.
type page struct {
	t    *testing.T
	base string
}

// get asks a route.
func (p *page) get(route string, into any, params ...string) {
	p.t.Helper()
	query := url.Values{}
	for i := 0; i < len(params); i += 2 {
		query.Set(params[i], params[i+1])
	}
	p.answer(http.MethodGet, route+"?"+query.Encode(), nil, into)
}

// post does something.
func (p *page) post(route string, body any) {
	p.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	p.answer(http.MethodPost, route, bytes.NewReader(text), &v1.Done{})
}

func (p *page) answer(method, route string, body io.Reader, into any) {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.base+route, body)
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK {
		p.t.Fatalf("%s %s: %s: %s", method, route, answer.Status, text)
	}
	if err := json.Unmarshal(text, into); err != nil {
		p.t.Fatalf("%s %s: %v in %s", method, route, err, text)
	}
}

func (p *page) awaitKinds(names ...string) {
	p.t.Helper()
	await.Within(p.t, await.Patience, "all kinds to follow the server", func() error {
		var kinds v1.KindList
		p.get("v1/kinds", &kinds)
		following := map[string]bool{}
		for _, k := range kinds.Items {
			following[k.Name] = k.Synced && k.State == "Following" && k.DisconnectedSince.IsZero() && !k.HeardAt.IsZero() && k.Lists["First"] == 1
		}
		for _, name := range names {
			if !following[name] {
				return fmt.Errorf("%s does not: %+v", name, kinds)
			}
		}
		return nil
	})
}

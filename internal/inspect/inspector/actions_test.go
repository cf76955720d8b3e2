package inspector_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/testing/toyoperator"
)

func post(t *testing.T, h http.Handler, action, body string) reply {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/delta/v1/actions/"+action, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	return answer(h, r)
}

func TestActionsThatAreRefused(t *testing.T) {
	h := inspector.New(toyoperator.New(), inspector.Options{})
	long := `{"kind":"sites","selector":"` + strings.Repeat("a", 70_000) + `"}`
	for _, c := range []struct {
		action, body string
		status       int
		want         string
	}{
		{"resync", ``, 400, "the body can't be read"},
		{"resync", `{"kind":"sites"`, 400, "the body can't be read"},
		{"resync", `{"kind":"sites"} {}`, 400, "the body can't be read"},
		{"resync", `{"kind":"sites"} x`, 400, "the body can't be read"},
		{"resync", `{"kind":"sites","selecter":"a"}`, 400, `unknown field "selecter"`},
		{"resync", `{"kind":7}`, 400, "the body can't be read"},
		{"resync", long, 413, "the body has more than 65536 bytes"},
		{"resync", `{}`, 400, "the field kind is missing"},
		{"resync", `{"kind":"nets"}`, 404, `the cache has no kind "nets"`},
		{"resync", `{"kind":"sites","selector":"=,"}`, 400, "the selector"},
		{"policy", `{"kind":"sites","period":"soon"}`, 400, "a duration such as 10m, or never"},
		{"policy", `{"kind":"sites","period":"-1s"}`, 400, "a duration such as 10m, or never"},
		{"policy", `{"kind":"sites","period":"0"}`, 400, "a duration such as 10m, or never"},
		{"policy", `{"kind":"sites","period":"10m","rate":-1}`, 400, "the policy makes no sense"},
		{"forget", `{"controller":"site"}`, 400, "needs the fields controller and name"},
		{"forget", `{"controller":"sitte","name":"a"}`, 404, `there is no controller "sitte"; there are site, report`},
		{"forget", `{"controller":"site","namespace":"demo","name":"nobody"}`, 404, "demo/nobody in the queue of site: there is nothing of that name"},
		{"cancel", `{"controller":"site","namespace":"demo","name":"slow"}`, 409, "demo/slow is not delayed"},
	} {
		a := post(t, h, c.action, c.body)
		if p := problem(t, a); p.Status != c.status || !strings.Contains(p.Message, c.want) {
			t.Errorf("%s %.60s: %+v, want %d %q", c.action, c.body, p, c.status, c.want)
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/delta/v1/actions/relist", strings.NewReader(`{"kind":"sites"}`))
	r.Header.Set("Content-Type", "text/plain") // what a form of another page can send
	if p := problem(t, answer(h, r)); p.Status != http.StatusUnsupportedMediaType {
		t.Errorf("a body of another type is answered with %+v", p)
	}
}

func TestActionsHappen(t *testing.T) {
	toy := toyoperator.New()
	h := inspector.New(toy, inspector.Options{})
	for action, body := range map[string]string{
		"resync": `{"kind":"site.example.com","selector":"app in (blog, shop)"}`,
		"policy": `{"kind":"sites","period":"never","rate":5}`,
		"cancel": `{"controller":"site","namespace":"demo","name":"broken"}`,
	} {
		if a := post(t, h, action, body); a.status != http.StatusOK {
			t.Errorf("%s is answered with %d", action, a.status)
		}
	}
	if synced := toy.Deltas(inspector.DeltaQuery{Op: "Sync", Limit: 10}).Items; len(synced) != 2 {
		t.Errorf("the resync showed %+v", synced)
	}
	if policy := toy.Kinds("").Items[0].Scopes[0].Policy; policy != "never, at most 5 objects a second" {
		t.Errorf("the policy is %q", policy)
	}
	if items := toy.Queues(toyoperator.Controller, 10).Items[0].Items; len(items) != 4 {
		t.Errorf("the queue has %+v", items)
	}
}

func TestTheGuardKnowsWhoIsHere(t *testing.T) {
	toy := toyoperator.New()
	inner := inspector.New(toy, inspector.Options{})
	closed, open := inspector.Guard(inner, inspector.Options{}), inspector.Guard(inner, inspector.Options{Actions: true})
	for _, c := range []struct {
		method, host string
		headers      map[string]string
		closed, open int
	}{
		{"GET", "localhost", nil, 200, 200},
		{"GET", "LOCALHOST:8080", nil, 200, 200},
		{"GET", "127.0.0.1:8080", nil, 200, 200},
		{"GET", "[::1]:8080", nil, 200, 200},
		{"GET", "[::1]", nil, 200, 200},
		{"GET", "", nil, 403, 403},
		{"GET", "evil.example:8080", nil, 403, 403},
		{"GET", "localhost.evil.example", nil, 403, 403},
		{"GET", "10.0.0.7", nil, 403, 403},
		{"GET", "127.0.0.1.nip.io", nil, 403, 403},
		{"GET", "localhost", map[string]string{"Sec-Fetch-Site": "same-origin"}, 200, 200},
		{"GET", "localhost", map[string]string{"Sec-Fetch-Site": "none"}, 200, 200},
		{"GET", "localhost", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403, 403},
		{"GET", "localhost", map[string]string{"Sec-Fetch-Site": "same-site"}, 403, 403},
		{"POST", "localhost", nil, 403, 200},
		{"POST", "localhost", map[string]string{"Sec-Fetch-Site": "same-origin"}, 403, 200},
		{"POST", "localhost", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403, 403},
		{"POST", "localhost", map[string]string{"Origin": "http://evil.example"}, 403, 403},
		{"POST", "evil.example", map[string]string{"Origin": "http://evil.example"}, 403, 403},
	} {
		for name, h := range map[string]http.Handler{"closed": closed, "open": open} {
			path, body := "/delta/v1/kinds", ""
			if c.method == http.MethodPost {
				path, body = "/delta/v1/actions/relist", `{"kind":"sites"}`
			}
			r := httptest.NewRequestWithContext(t.Context(), c.method, path, strings.NewReader(body))
			r.Host = c.host
			r.Header.Set("Content-Type", "application/json")
			for key, value := range c.headers {
				r.Header.Set(key, value)
			}
			want := map[string]int{"closed": c.closed, "open": c.open}[name]
			if a := answer(h, r); a.status != want {
				t.Errorf("%s %s %v, %s: %d, want %d: %v", c.method, c.host, c.headers, name, a.status, want, fmt.Sprint(problem(t, a)))
			}
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/delta/v1/actions/relist", http.NoBody)
	r.Host = "localhost"
	if p := problem(t, answer(closed, r)); !strings.HasSuffix(p.Message, "inspect.Options{AllowActions: true}") {
		t.Errorf("who may change nothing is told %q, want how to allow it", p.Message)
	}
	r = httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/delta/", http.NoBody)
	r.Host = "localhost"
	r.Header.Set("Sec-Fetch-Site", "cross-site") // a link from elsewhere
	if a := answer(closed, r); a.status != http.StatusOK {
		t.Errorf("a link to the page is answered with %d", a.status)
	}
}

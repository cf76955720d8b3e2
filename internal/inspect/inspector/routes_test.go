package inspector_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"

	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/testing/toyoperator"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// filter is what stands before the handler in a cluster: it asks for a token, and whether its owner
// has the right to a verb.
func filter(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		verbs, known := map[string]string{"Bearer reader": "get head", "Bearer actor": "get head post"}[r.Header.Get("Authorization")]
		switch {
		case !known:
			http.Error(w, "Unauthorized", http.StatusUnauthorized)
		case !strings.Contains(verbs, strings.ToLower(r.Method)):
			http.Error(w, "Authorization denied", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// bodies are good ones for each action.
var bodies = map[reflect.Type]any{
	reflect.TypeFor[v1.ResyncAction]():  v1.ResyncAction{Kind: "sites"},
	reflect.TypeFor[v1.RelistAction]():  v1.RelistAction{Kind: "sites"},
	reflect.TypeFor[v1.PolicyAction]():  v1.PolicyAction{Kind: "sites", Period: "10m"},
	reflect.TypeFor[v1.RequestAction](): v1.RequestAction{Controller: "site", Namespace: "demo", Name: "broken"},
}

// ask makes a request that a route answers well.
func ask(t *testing.T, route inspector.Route) *http.Request {
	var body bytes.Buffer
	if route.Body != nil {
		if err := json.NewEncoder(&body).Encode(bodies[route.Body]); err != nil {
			t.Fatal(err)
		}
	}
	target := route.Path
	if len(route.Required) > 0 {
		values := map[string]string{"kind": "kind=sites", "name": "name=blog"}
		var parts []string
		for _, name := range route.Required {
			parts = append(parts, values[name])
		}
		target += "?namespace=demo&" + strings.Join(parts, "&")
		if len(route.Required) == 1 {
			target = route.Path + "?" + parts[0]
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), route.Method, target, &body)
	if route.Body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// reply is the answer to a request.
type reply struct {
	status int
	header http.Header
	body   []byte
}

func answer(h http.Handler, r *http.Request) reply {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return reply{w.Code, w.Header(), w.Body.Bytes()}
}

// problem reads a refusal.
func problem(t *testing.T, a reply) v1.Problem {
	t.Helper()
	var p v1.Problem
	if err := json.Unmarshal(a.body, &p); err != nil || p.Status != a.status || a.header.Get("Content-Type") != "application/json" {
		t.Fatalf("the answer %d is not a Problem of its status: %+v (error %v)", a.status, p, err)
	}
	return p
}

func TestEachRouteIsGuardedAndAnswers(t *testing.T) {
	for _, route := range inspector.AllRoutes() {
		t.Run(route.Method+" "+route.Path, func(t *testing.T) {
			h := filter(inspector.New(toyoperator.New(), inspector.Options{}))
			if got := answer(h, ask(t, route)).status; got != http.StatusUnauthorized {
				t.Errorf("without a token it answers %d", got)
			}
			r := ask(t, route)
			r.Header.Set("Authorization", "Bearer reader")
			if got := answer(h, r).status; (route.Method == http.MethodPost) != (got == http.StatusForbidden) {
				t.Errorf("to somebody who may read it answers %d", got)
			}
			if route.Media == "text/event-stream" {
				return // a recorder can't take it
			}
			r = ask(t, route)
			r.Header.Set("Authorization", "Bearer actor")
			a := answer(h, r)
			if a.status != http.StatusOK || a.header.Get("Content-Type") != route.Media {
				t.Fatalf("it answers %d with %q", a.status, a.header.Get("Content-Type"))
			}
			if route.Answer != nil {
				into := reflect.New(route.Answer)
				d := json.NewDecoder(bytes.NewReader(a.body))
				d.DisallowUnknownFields()
				if err := d.Decode(into.Interface()); err != nil || bytes.Contains(a.body, []byte("null")) {
					t.Errorf("the answer is %s (error %v)", a.body, err)
				}
			}
		})
	}
}

func TestEachRouteRefusesWhatItDoesNotKnow(t *testing.T) {
	h := inspector.New(toyoperator.New(), inspector.Options{})
	for _, route := range inspector.AllRoutes() {
		t.Run(route.Method+" "+route.Path, func(t *testing.T) {
			r := ask(t, route)
			r.Method = map[string]string{http.MethodGet: http.MethodPost, http.MethodPost: http.MethodGet}[route.Method]
			a := answer(h, r)
			if a.status != http.StatusMethodNotAllowed || !strings.HasPrefix(a.header.Get("Allow"), route.Method) {
				t.Errorf("%s is answered with %d, Allow %q", r.Method, a.status, a.header.Get("Allow"))
			}
			problem(t, a)
			r = ask(t, route)
			r.URL.RawQuery += "&nonsense=1"
			if a := answer(h, r); a.status != http.StatusBadRequest || !strings.Contains(problem(t, a).Message, "nonsense") {
				t.Errorf("an unknown parameter is answered with %d", a.status)
			}
			for _, name := range route.Required {
				r := ask(t, route)
				values := r.URL.Query()
				values.Del(name)
				r.URL.RawQuery = values.Encode()
				if a := answer(h, r); a.status != http.StatusBadRequest || !strings.Contains(problem(t, a).Message, name+" is missing") {
					t.Errorf("without %s it answers %d", name, a.status)
				}
			}
		})
	}
}

func TestAllAnswersHaveTheHeaders(t *testing.T) {
	h := inspector.Guard(inspector.New(toyoperator.New(), inspector.Options{}), inspector.Options{})
	asked := []*http.Request{
		get(t, "http://localhost/delta/v1/nothing"),
		get(t, "http://evil.example/delta/v1/kinds"),
		httptest.NewRequestWithContext(t.Context(), http.MethodDelete, "http://localhost/delta/v1/kinds", http.NoBody),
	}
	for _, route := range inspector.AllRoutes() {
		r := ask(t, route)
		r.Host = "localhost:8081"
		asked = append(asked, r)
	}
	for _, r := range asked {
		a := answer(h, r)
		const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
		for name, want := range map[string]string{
			"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := a.header.Get(name); got != want {
				t.Errorf("%s %s: %s is %q", r.Method, r.URL, name, got)
			}
		}
		// A file of the page may be kept, but not used without a question. Data may not be kept.
		if got := a.header.Get("Cache-Control"); got != "no-store" && (got != "no-cache" || !isFile(r.URL.Path)) {
			t.Errorf("%s %s: Cache-Control is %q", r.Method, r.URL, got)
		}
	}
}

func TestUnknownPathsAreRefusedAsJSON(t *testing.T) {
	h := inspector.New(toyoperator.New(), inspector.Options{})
	for _, path := range []string{
		"/delta/v1", "/delta/v1/", "/delta/v1/kinds/", "/delta/v2/kinds", "/delta/assets/", "/delta/assets/../v1/kinds",
		"/delta//v1/kinds", "/delta/assets/index.html", "/delta/v1/actions/", "/delta/assets/%2e%2e/x", "/metrics",
	} {
		a := answer(h, get(t, path))
		if p := problem(t, a); p.Status != http.StatusNotFound || !strings.Contains(p.Message, "openapi.json") {
			t.Errorf("%s: %+v", path, p)
		}
	}
}

// TestWhoTypesTheAddressFindsThePage leaves out the path, or its last slash.
func TestWhoTypesTheAddressFindsThePage(t *testing.T) {
	h := inspector.Guard(inspector.New(toyoperator.New(), inspector.Options{}), inspector.Options{Actions: true})
	for _, path := range []string{"/", "/delta"} {
		for method, want := range map[string]int{http.MethodGet: http.StatusFound, http.MethodHead: http.StatusFound, http.MethodPost: http.StatusNotFound} {
			r := httptest.NewRequestWithContext(t.Context(), method, "http://localhost:8082"+path, http.NoBody)
			a := answer(h, r)
			if a.status != want || want == http.StatusFound && a.header.Get("Location") != "delta/" {
				t.Errorf("%s %s answers %d with Location %q, want %d", method, path, a.status, a.header.Get("Location"), want)
			}
		}
	}
}

func TestAFileIsSentOnceToABrowserThatKeepsIt(t *testing.T) {
	h := inspector.New(toyoperator.New(), inspector.Options{})
	for _, route := range inspector.AllRoutes() {
		if !isFile(route.Path) {
			continue
		}
		tag := answer(h, ask(t, route)).header.Get("ETag")
		r := ask(t, route)
		r.Header.Set("If-None-Match", `"other", W/`+tag)
		if a := answer(h, r); tag == "" || a.status != http.StatusNotModified {
			t.Errorf("%s: a file with the tag %q is answered with %d", route.Path, tag, a.status)
		}
	}
}

// faulty is an operator that does what a test wants.
type faulty struct {
	inspector.Subject
	kinds func() v1.KindList
}

func (f faulty) Kinds(string) v1.KindList           { return f.kinds() }
func (f faulty) Loops() v1.LoopList                 { return v1.LoopList{} }
func (f faulty) Why(_, _, _ string) (v1.Why, error) { return v1.Why{}, errors.New("the disk is full") }

func TestAnErrorOfTheOperatorIsAnAnswerAndIsLogged(t *testing.T) {
	var logged strings.Builder
	log := funcr.New(func(_, args string) { fmt.Fprintln(&logged, args) }, funcr.Options{})
	h := inspector.New(faulty{Subject: toyoperator.New()}, inspector.Options{Logger: log})
	p := problem(t, answer(h, get(t, "/delta/v1/why?kind=sites&name=blog")))
	if p.Status != http.StatusInternalServerError || p.Message != "say what is known of an object: the disk is full" || !strings.Contains(logged.String(), "the disk is full") {
		t.Errorf("the answer is %+v, and the log has %q", p, logged.String())
	}
	a := answer(h, get(t, "/delta/v1/loops"))
	if !bytes.HasSuffix(a.body, []byte(`"items":[]}`)) {
		t.Errorf("a list with nothing in it is %s", a.body)
	}
}

// isFile reports whether a path is of the page's own files or of the description of the API.
func isFile(path string) bool {
	return path == "/delta/" || strings.HasPrefix(path, "/delta/assets/") || path == "/delta/v1/openapi.json"
}

package canary

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// visitor looks at what an operator serves.
type visitor struct {
	t      *testing.T
	hunt   *hunt
	base   string // of the inspector: http://…
	client *http.Client

	listening sync.WaitGroup
}

func newVisitor(t *testing.T, o *operator) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	must(t, err)
	v := &visitor{t: t, hunt: o.hunt, base: "http://" + o.inspector, client: &http.Client{Transport: &http.Transport{}, Jar: jar}}
	t.Cleanup(func() { v.listening.Wait(); v.client.CloseIdleConnections() })
	return v
}

// ask collects an answer, whatever it is, with its headers. It calls began when that has begun.
func (v *visitor) ask(output string, r *http.Request, began ...func()) []byte {
	answer, err := v.client.Do(r)
	if err != nil {
		v.t.Errorf("%s: %v", output, err)
		return nil
	}
	defer func() { _ = answer.Body.Close() }()
	for _, call := range began {
		call()
	}
	text, err := io.ReadAll(answer.Body)
	if err != nil && r.Context().Err() == nil {
		v.t.Errorf("%s: %v", output, err)
	}
	v.hunt.collect(output, fmt.Appendf(nil, "%s %v\n%s", answer.Status, answer.Header, text))
	return text
}

func (v *visitor) request(ctx context.Context, method, address string, body any) *http.Request {
	v.t.Helper()
	text, err := json.Marshal(body)
	if raw, ok := body.(string); ok {
		text = []byte(raw)
	}
	must(v.t, err)
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(text))
	must(v.t, err)
	r.Header.Set("Content-Type", "application/json")
	return r
}

func (v *visitor) get(output, address string) []byte {
	v.t.Helper()
	return v.ask(output, v.request(v.t.Context(), http.MethodGet, address, ""))
}

// description is what the inspector says of its routes.
type description struct {
	Paths map[string]map[string]struct {
		Parameters []parameter
		Responses  map[string]struct{ Content map[string]any }
	}
}

type parameter struct {
	Name     string
	Required bool
	Schema   struct {
		Enum []string
		Type string
	}
}

// routes asks each route that the inspector describes, for everything that it can be asked for.
func (v *visitor) routes(about *knowledge) {
	v.t.Helper()
	var described description
	must(v.t, json.Unmarshal(v.get("GET /delta/v1/openapi.json", v.base+"/delta/v1/openapi.json"), &described))
	if len(described.Paths) < 15 {
		v.t.Errorf("there are %d routes", len(described.Paths))
	}
	for _, path := range slices.Sorted(maps.Keys(described.Paths)) {
		for method, route := range described.Paths[path] {
			output := strings.ToUpper(method) + " " + path
			switch _, streams := route.Responses["200"].Content["text/event-stream"]; {
			case method == "post":
				v.act(output, path, about)
			case method != "get":
				v.t.Errorf("nobody has said how to ask for %s", output)
			case streams:
				for _, query := range about.queries(v.t, route.Parameters) {
					v.listen(v.t.Context(), output, path+"?"+query, time.Second)
				}
			default:
				for _, query := range about.queries(v.t, route.Parameters) {
					v.get(output, v.base+path+"?"+query)
				}
			}
		}
	}
	v.listening.Wait()
}

// listen follows a stream for as long, but not when ctx has ended.
func (v *visitor) listen(ctx context.Context, output, path string, long time.Duration) {
	ctx, cancel := context.WithCancel(ctx)
	r := v.request(ctx, http.MethodGet, v.base+path, "")
	v.listening.Go(func() {
		defer cancel()
		v.ask(output, r, func() { time.AfterFunc(long, cancel) })
	})
}

// act does what the route does.
func (v *visitor) act(output, path string, about *knowledge) {
	_, name, _ := strings.Cut(path, "/actions/")
	var bodies []any
	for _, kind := range about.kinds {
		switch name {
		case "resync":
			bodies = append(bodies, v1.ResyncAction{Kind: kind}, v1.ResyncAction{Kind: kind, Selector: "app=shown"}, v1.ResyncAction{Kind: kind, Selector: "sealed-life ("})
		case "relist":
			bodies = append(bodies, v1.RelistAction{Kind: kind})
		case "policy":
			bodies = append(bodies, v1.PolicyAction{Kind: kind, Period: "3s", Rate: 100}, v1.PolicyAction{Kind: kind, Period: "sealed-life"})
		}
	}
	if name == "forget" || name == "cancel" {
		for _, secret := range about.secrets {
			bodies = append(bodies, v1.RequestAction{Controller: "objects", Namespace: about.namespace, Name: secret})
		}
	}
	if bodies == nil {
		v.t.Errorf("nobody has said how to ask for %s", output)
	}
	for _, body := range append(bodies, map[string]string{"sealed-life": "?"}, "{", `{"kind": "sealed-life"}`) {
		v.ask(output, v.request(v.t.Context(), http.MethodPost, v.base+path, body))
	}
}

// mistakes asks for what is not there, in words that name a Secret.
func (v *visitor) mistakes() {
	const output = "answers to mistakes"
	for _, path := range []string{
		"/sealed-life", "/delta/sealed-life", "/delta/v1/sealed-life", "/delta/v1/deltas?sealed-life=1", "/delta/v1/deltas?limit=sealed-life",
		"/delta/v1/deltas?op=sealed-life", "/delta/v1/deltas?since=sealed-life", "/delta/v1/why?kind=sealed-life&name=sealed-life",
		"/delta/v1/why?kind=secret&name=", "/delta/v1/deltas?name=sealed-life&name=sealed-life", "/delta/v1/deltas?%zz", "/delta/v1/deltas?name=%ff",
		"/delta/v1/memory?kind=sealed-life", "/delta/v1/queues?controller=sealed-life", "/delta/v1/reconciles?order=sealed-life",
	} {
		v.get(output, v.base+path)
		v.ask(output, v.request(v.t.Context(), http.MethodDelete, v.base+path, ""))
	}
}

// links are what files of the page name.
var links = regexp.MustCompile(`["'](?:\./|assets/)?([a-z0-9-]+\.(?:js|css|svg|html|json|map))["']`)

// page reads the page, and all files that it leads to.
func (v *visitor) page() {
	seen := map[string]bool{}
	todo := []string{""}
	for len(todo) > 0 {
		file := todo[0]
		todo = todo[1:]
		if seen[file] {
			continue
		}
		seen[file] = true
		at := "/delta/assets/" + file
		if file == "" {
			at = "/delta/"
		}
		for _, found := range links.FindAllSubmatch(v.get("the page", v.base+at), -1) {
			todo = append(todo, string(found[1]))
		}
	}
	if len(seen) < 10 {
		v.t.Errorf("the page has the files %v", seen)
	}
}

// metrics are read in each format.
func (v *visitor) metrics(address string) {
	for name, accept := range map[string]string{
		"text": "text/plain", "OpenMetrics": "application/openmetrics-text; version=1.0.0",
		"protobuf": "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited",
	} {
		r := v.request(v.t.Context(), http.MethodGet, "http://"+address+"/metrics", "")
		r.Header.Set("Accept", accept)
		v.ask("metrics as "+name, r)
	}
}

// health asks each check.
func (v *visitor) health(address string) {
	for _, path := range []string{"/healthz", "/readyz", "/healthz/cache", "/readyz/cache", "/healthz?verbose", "/readyz?verbose", "/readyz?verbose&exclude=x"} {
		v.get("health", "http://"+address+path)
	}
}

package differential

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// gate is between a cache and the server. It notes the watches, and refuses one sort of
// request: a streaming list without bookmarks. A bookmark ends a streaming list, so without
// bookmarks it never ends. controller-runtime asks for that if EnableWatchBookmarks is false,
// and waits for ever. The gate refuses it like a server without streaming lists, and then
// controller-runtime lists.
type gate struct {
	next http.RoundTripper

	mu   sync.Mutex // guards everything below
	seen map[watched]map[string]bool
}

// watched has the parts of a watch request that stay the same while an informer lives.
type watched struct{ accept, path, labels, fields string }

func newGate(next http.RoundTripper) *gate {
	return &gate{next: next, seen: map[watched]map[string]bool{}}
}

func (g *gate) client() *http.Client { return &http.Client{Transport: g} }

// RoundTrip passes a request on, or refuses it.
func (g *gate) RoundTrip(r *http.Request) (*http.Response, error) {
	q := r.URL.Query()
	if q.Get("watch") != "true" {
		return g.next.RoundTrip(r)
	}
	bookmarks := q.Get("allowWatchBookmarks") == "true"
	g.note(watched{r.Header.Get("Accept"), r.URL.Path, q.Get("labelSelector"), q.Get("fieldSelector")},
		fmt.Sprint("bookmarks ", bookmarks))
	if q.Get("sendInitialEvents") == "true" && !bookmarks {
		return &http.Response{
			StatusCode: http.StatusUnprocessableEntity, Proto: r.Proto, ProtoMajor: r.ProtoMajor, Request: r,
			Header: http.Header{"Content-Type": {"application/json"}},
			Body: io.NopCloser(strings.NewReader(
				`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422,"message":"no streaming lists"}`)),
		}, nil
	}
	return g.next.RoundTrip(r)
}

// CloseIdleConnections is called by code that closes the client.
func (g *gate) CloseIdleConnections() {}

func (g *gate) note(what watched, how string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.seen[what] == nil {
		g.seen[what] = map[string]bool{}
	}
	g.seen[what][how] = true
}

func (g *gate) watches() map[watched]map[string]bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.seen)
}

// compareWatches compares the watches that both caches have made. There are watches that only
// one of them makes: ours watches a kind in all its namespaces as soon as a question needs
// one of them.
func compareWatches(theirs, ours map[watched]map[string]bool) string {
	for what, how := range theirs {
		if other, both := ours[what]; both && !maps.Equal(how, other) {
			return fmt.Sprintf("watches of %+v differ: theirs with %v, ours with %v", what,
				slices.Sorted(maps.Keys(how)), slices.Sorted(maps.Keys(other)))
		}
	}
	return ""
}

package operator

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"

	"k8s.io/client-go/rest"
)

// line is the connection from one client to the server. It remembers the requests, and can be
// cut.
type line struct {
	mu       sync.Mutex // guards everything below
	conns    map[net.Conn]struct{}
	requests []request
}

// request is a request that went over a line.
type request struct {
	path      string
	watch     bool   // it is a watch
	streaming bool   // the watch begins with a list
	fields    string // a selector
}

// newLine returns a configuration whose clients use a new line. The line is cut when the test
// ends.
func newLine(t *testing.T, to *rest.Config) (*rest.Config, *line) {
	t.Helper()
	l := &line{conns: map[net.Conn]struct{}{}}
	t.Cleanup(l.cut)
	config := rest.CopyConfig(to)
	config.Dial = l.dial
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return recording{next, l} })
	return config, l
}

func (l *line) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns[conn] = struct{}{}
	return conn, nil
}

// cut breaks all connections, also in the middle of an answer.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.conns {
		_ = conn.Close() // it may be closed already
	}
	clear(l.conns)
}

// asked returns the requests up to now that match.
func (l *line) asked(match func(request) bool) []request {
	l.mu.Lock()
	defer l.mu.Unlock()
	var matching []request
	for _, r := range l.requests {
		if match(r) {
			matching = append(matching, r)
		}
	}
	return matching
}

// recording notes each request and passes it on.
type recording struct {
	next http.RoundTripper
	line *line
}

// RoundTrip notes a request and passes it on.
func (r recording) RoundTrip(q *http.Request) (*http.Response, error) {
	query := q.URL.Query()
	noted := request{
		path:  q.URL.Path,
		watch: query.Get("watch") == "true" || query.Get("watch") == "1", streaming: query.Get("sendInitialEvents") == "true",
		fields: query.Get("fieldSelector"),
	}
	if q.Method == http.MethodGet {
		r.line.mu.Lock()
		r.line.requests = append(r.line.requests, noted)
		r.line.mu.Unlock()
	}
	return r.next.RoundTrip(q)
}

// WrappedRoundTripper gives access to the transport, for code that closes connections.
func (r recording) WrappedRoundTripper() http.RoundTripper { return r.next }

package inspector_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/toyoperator"
	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

const forEver = time.Hour

// serve serves a handler over real connections.
func serve(t *testing.T, h http.Handler) *httptest.Server {
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}

// reader reads a stream.
type reader struct {
	t     *testing.T
	lines *bufio.Scanner
	stop  func()
}

// event is a server-sent event, or a comment without a name.
type event struct{ id, name, data string }

func follow(t *testing.T, server *httptest.Server, query, lastID string) *reader {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), await.Patience)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/delta/v1/deltas/stream?"+query, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if lastID != "" {
		r.Header.Set("Last-Event-ID", lastID)
	}
	a, err := server.Client().Do(r)
	if err != nil || a.StatusCode != http.StatusOK || a.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("a stream is answered with %+v (error %v)", a, err)
	}
	stop := func() { cancel(); _ = a.Body.Close() }
	t.Cleanup(stop)
	return &reader{t, bufio.NewScanner(a.Body), stop}
}

// next is the next event; ok is false at the end.
func (r *reader) next() (e event, ok bool) {
	for r.lines.Scan() {
		key, value, _ := strings.Cut(r.lines.Text(), ": ")
		switch key {
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			e.data = value
		case "":
			if r.lines.Text() == "" {
				return e, true
			}
			e.data = value
		}
	}
	return e, false
}

// delta is the next event, which has to be a delta.
func (r *reader) delta() (v1.Delta, string) {
	r.t.Helper()
	for {
		e, ok := r.next()
		if ok && e.name == "" {
			continue
		}
		var d v1.Delta
		if err := json.Unmarshal([]byte(e.data), &d); err != nil || e.name != "delta" {
			r.t.Fatalf("the stream has %+v in place of a delta (error %v)", e, err)
		}
		return d, e.id
	}
}

func TestAStreamTellsWhatHappensNow(t *testing.T) {
	toy := toyoperator.New()
	server := serve(t, inspector.New(toy, inspector.Options{}))
	all, deployments := follow(t, server, "", ""), follow(t, server, "kind=deployments&namespace=demo&name=blog&op=updated&manager=kubectl-scale", "")
	toy.Scale(toyoperator.Demo(toyoperator.Deployment, "shop"), "kubectl-scale", 3, 4)
	toy.Scale(toyoperator.Demo(toyoperator.Deployment, "blog"), "kubectl-edit", 3, 4)
	toy.Scale(toyoperator.Demo(toyoperator.Deployment, "blog"), "kubectl-scale", 4, 5)
	if d, _ := all.delta(); d.Name != "shop" {
		t.Errorf("the first delta is %+v", d)
	}
	if d, _ := deployments.delta(); d.Edits[0] != toyoperator.Replicas(4, 5) {
		t.Errorf("the only delta that matches is %+v", d)
	}
}

func TestAStreamGoesOnWhereItBrokeOff(t *testing.T) {
	toy := toyoperator.New()
	server := serve(t, inspector.New(toy, inspector.Options{}))
	first := follow(t, server, "", "")
	toy.Edit(toyoperator.Demo(toyoperator.Site, "one"), "kubectl")
	_, at := first.delta()
	first.stop()
	toy.Edit(toyoperator.Demo(toyoperator.Site, "two"), "kubectl")
	if d, _ := follow(t, server, "", at).delta(); d.Name != "two" {
		t.Errorf("with Last-Event-ID it goes on with %+v", d)
	}
	if d, _ := follow(t, server, "since="+url.QueryEscape(at), "").delta(); d.Name != "two" {
		t.Errorf("with since it goes on with %+v", d)
	}
	if d, _ := follow(t, server, "since=0", "").delta(); d.ID != 1 {
		t.Errorf("from the start it begins with %+v", d)
	}
	again := follow(t, server, "", "another.999")
	if e, _ := again.next(); e.name != "" { // the comment that each stream begins with
		t.Errorf("it begins with %+v", e)
	}
	if e, _ := again.next(); e.name != "lost" || e.data != `{"count":0,"restarted":true}` {
		t.Errorf("after another process it begins with %+v", e)
	}
	if d, _ := again.delta(); d.ID != 1 {
		t.Errorf("after another process the first delta is %+v", d)
	}
}

func TestAReaderIsToldHowManyDeltasItHasLost(t *testing.T) {
	toy := toyoperator.New()
	for i := range 600 {
		toy.Edit(toyoperator.Demo(toyoperator.Site, fmt.Sprint("new-", i)), "kubectl")
	}
	kept := toy.Deltas(inspector.DeltaQuery{Kind: toyoperator.Site, Limit: 1000}).Items
	r := follow(t, serve(t, inspector.New(toy, inspector.Options{})), "kind=sites&since=1", "")
	r.next()
	// There were 8 Sites before the others, and 500 are kept. That the first of them is the delta 1 is forgotten.
	if e, _ := r.next(); e.name != "lost" || e.data != `{"count":108}` || len(kept) != 500 {
		t.Errorf("after a loss the stream has %+v, and the journal has %d", e, len(kept))
	}
	for i := range slices.Backward(kept) { // more than are sent at a time
		if d, _ := r.delta(); d.ID != kept[i].ID {
			t.Fatalf("in place of delta %d there is %+v", kept[i].ID, d)
		}
	}
}

// TestAQuietFilterLosesNothing has a stream that ends after very much has happened that its filter does not let through.
func TestAQuietFilterLosesNothing(t *testing.T) {
	toy := toyoperator.New()
	server := serve(t, inspector.NewPaced(toy, inspector.Pace{Heartbeat: forEver, Write: forEver, Stream: time.Second}))
	r, at := follow(t, server, "kind=sites&name=quiet", ""), ""
	for i := range 2000 {
		toy.Edit(toyoperator.Demo(toyoperator.Site, fmt.Sprint("loud-", i)), "kubectl")
	}
	for e, ok := r.next(); ok; e, ok = r.next() {
		at = cmp.Or(e.id, at)
	}
	toy.Edit(toyoperator.Demo(toyoperator.Site, "quiet"), "kubectl")
	r = follow(t, server, "kind=sites&name=quiet", at)
	r.next()
	if e, _ := r.next(); at == "" || e.name != "delta" {
		t.Errorf("after %q it goes on with %+v", at, e)
	}
}

func TestAStreamHasAHeartbeatAndAnEnd(t *testing.T) {
	toy := toyoperator.New()
	r := follow(t, serve(t, inspector.NewPaced(toy, inspector.Pace{Heartbeat: 10 * time.Millisecond, Write: forEver, Stream: forEver})), "", "")
	r.next()
	if e, ok := r.next(); !ok || e.name != "here" || !strings.HasSuffix(e.id, fmt.Sprint(".", toy.Newest())) {
		t.Errorf("a quiet stream has %+v", e)
	}
	r.stop()
	r = follow(t, serve(t, inspector.NewPaced(toy, inspector.Pace{Heartbeat: 10 * time.Millisecond, Write: forEver, Stream: 100 * time.Millisecond})), "", "")
	for ok := true; ok; _, ok = r.next() {
		continue // until its time is over
	}
	if err := r.lines.Err(); err != nil {
		t.Errorf("a stream ends with %v when its time is over", err)
	}
	done := make(chan struct{})
	r = follow(t, serve(t, inspector.New(toy, inspector.Options{Done: done})), "", "")
	r.next()
	close(done)
	if e, ok := r.next(); ok {
		t.Errorf("a stream that has to end has %+v", e)
	}
	await.Until(t, "all streams to end", func() bool { return toy.Streams() == 0 })
}

func TestStreamsHaveALimit(t *testing.T) {
	toy := toyoperator.New()
	server := serve(t, inspector.New(toy, inspector.Options{}))
	first := follow(t, server, "", "")
	for range 63 {
		follow(t, server, "", "")
	}
	a, err := server.Client().Get(server.URL + "/delta/v1/deltas/stream") //nolint:noctx // it is answered at once
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close() //nolint:errcheck // nothing is lost
	body, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	p := problem(t, reply{a.StatusCode, a.Header, body})
	if p.Status != http.StatusTooManyRequests || !strings.Contains(p.Message, "64 readers") || a.Header.Get("Retry-After") == "" {
		t.Errorf("the 65th stream is answered with %+v", p)
	}
	first.stop()
	await.Success(t, "the place of a reader that is gone", func() error { // it is given back after the stream has ended
		r, err := http.NewRequestWithContext(t.Context(), http.MethodHead, server.URL+"/delta/v1/deltas/stream", http.NoBody)
		if err != nil {
			return err
		}
		a, err := server.Client().Do(r)
		if err != nil {
			return err
		}
		if err = a.Body.Close(); err == nil && a.StatusCode != http.StatusOK {
			err = errors.New(a.Status)
		}
		return err
	})
}

// wordy is an operator that has much to say of each delta.
type wordy struct{ *toyoperator.Operator }

type wordyStream struct{ inspector.Stream }

func (o wordy) Follow(q inspector.DeltaQuery) inspector.Stream {
	return wordyStream{o.Operator.Follow(q)}
}

func (s wordyStream) Take(most int) ([]v1.Delta, uint64) {
	deltas, lost := s.Stream.Take(most)
	edits := []v1.Edit{{Path: "spec", After: strings.Repeat("x", 1<<20)}}
	for i := range deltas {
		deltas[i].Edits = edits
	}
	return deltas, lost
}

func TestAReaderThatDoesNotReadIsLeft(t *testing.T) {
	toy := toyoperator.New()
	server := serve(t, inspector.NewPaced(wordy{toy}, inspector.Pace{Heartbeat: forEver, Write: 200 * time.Millisecond, Stream: forEver}))
	await.Success(t, "a stream to begin", func() error { // a busy machine may take longer than the pace of a stream allows
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
		if err != nil {
			return err
		}
		t.Cleanup(func() { _ = conn.Close() })
		fmt.Fprint(conn, "GET /delta/v1/deltas/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
		for lines := bufio.NewReader(conn); ; {
			if line, err := lines.ReadString('\n'); err != nil || strings.HasPrefix(line, ": process ") {
				return err
			}
		}
	})
	await.Until(t, "the stream to be followed", func() bool { return toy.Streams() > 0 })
	await.Until(t, "the stream to end", func() bool {
		toy.Edit(toyoperator.Demo(toyoperator.ConfigMap, "blog-files"), "kubectl")
		return toy.Streams() == 0
	})
}

// TestNothingIsLeftOfThoseWhoCame counts goroutines: of malformed requests, of connections on which
// nobody says anything, and of streams whose readers are gone.
func TestNothingIsLeftOfThoseWhoCame(t *testing.T) {
	before := runtime.NumGoroutine()
	toy := toyoperator.New()
	server := httptest.NewServer(inspector.New(toy, inspector.Options{}))
	var conns []net.Conn
	for i := range 320 { // each takes two file descriptors of this process, and some systems allow 1,024
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, conn)
		switch i % 4 {
		case 1:
			fmt.Fprint(conn, "GET /delta/v1/deltas?limit=many HTTP/1.1\r\nHost: localhost\r\n\r\n")
		case 2:
			fmt.Fprint(conn, "POST /delta/v1/actions/resync HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{")
		case 3:
			fmt.Fprint(conn, "GET /delta/v1/deltas/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
		}
	}
	await.Until(t, "64 streams", func() bool { return toy.Streams() >= 64 })
	if open := toy.Streams(); open != 64 {
		t.Errorf("%d streams are open", open)
	}
	for _, conn := range conns {
		_ = conn.Close()
	}
	server.Close()
	await.Success(t, "all goroutines to end", func() error {
		if now := runtime.NumGoroutine(); now > before {
			return fmt.Errorf("there are %d, and there were %d", now, before)
		}
		return nil
	})
	if open := toy.Streams(); open != 0 {
		t.Errorf("%d streams are still open", open)
	}
}

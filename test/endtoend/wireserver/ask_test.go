package wireserver

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// An address is where a server listens, and how to connect to it.
type address struct {
	host string
	dial func(ctx context.Context, network, host string) (net.Conn, error)
	// encoding is what the client accepts: gzip as Go's own client does, or identity.
	encoding string
	token    string // who asks; the server of this package does not care
}

// serving is the address of a Server.
func serving(t *testing.T, s *Server) address {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.CloseClientConnections() // or Close would wait for the watches
		server.Close()
	})
	return address{strings.TrimPrefix(server.URL, "http://"), new(net.Dialer).DialContext, "gzip", ""}
}

// An answer is what comes from a server. The chunks are those of the connection.
type answer struct {
	*http.Response
	raw    *recording
	events *bufio.Reader // of a watch
}

// recording keeps what is read from a connection.
type recording struct {
	net.Conn
	text []byte
}

// Read reads some of it.
func (r *recording) Read(into []byte) (int, error) {
	n, err := r.Conn.Read(into)
	r.text = append(r.text, into[:n]...)
	return n, err
}

// ask sends a request.
func ask(t *testing.T, of address, path, accept string) *answer {
	t.Helper()
	conn, err := of.dial(t.Context(), "tcp", of.host)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	must(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nAccept: %s\r\nAccept-Encoding: %s\r\n\r\n",
		path, of.host, of.token, accept, of.encoding)
	raw := &recording{Conn: conn}
	response, err := http.ReadResponse(bufio.NewReader(raw), nil)
	must(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	return &answer{Response: response, raw: raw}
}

// sent is all of the body that has come, as it was sent: in chunks.
func (a *answer) sent() string {
	_, body, _ := strings.Cut(string(a.raw.text), "\r\n\r\n")
	return body
}

// frames returns the next n events of a watch.
func (a *answer) frames(t *testing.T, format Format, n int) []string {
	t.Helper()
	if a.events == nil {
		a.events = bufio.NewReader(a.plain(t))
	}
	frames := make([]string, n)
	for i := range frames {
		var frame []byte
		var err error
		if format == JSON {
			frame, err = a.events.ReadBytes('\n')
		} else if frame, err = a.events.Peek(4); err == nil {
			frame = make([]byte, 4+binary.BigEndian.Uint32(frame))
			_, err = io.ReadFull(a.events, frame)
		}
		if err != nil {
			t.Fatalf("event %d: %v", i, err)
		}
		frames[i] = string(frame)
	}
	return frames
}

// plain reads the body, decompressed if it is compressed.
func (a *answer) plain(t *testing.T) io.Reader {
	t.Helper()
	if a.Header.Get("Content-Encoding") != "gzip" {
		return a.Body
	}
	zipped, err := gzip.NewReader(a.Body)
	must(t, err)
	return zipped
}

// text returns everything up to the end, decompressed if it is compressed.
func (a *answer) text(t *testing.T) string {
	t.Helper()
	text, err := io.ReadAll(a.plain(t))
	must(t, err)
	return string(text)
}

// successful fails the test if the server has refused.
func (a *answer) successful(t *testing.T) *answer {
	t.Helper()
	if a.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %s", a.StatusCode, a.text(t))
	}
	return a
}

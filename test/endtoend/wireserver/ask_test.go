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
	"net/textproto"
	"strconv"
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

// An answer is what comes from a server, without any library between.
type answer struct {
	status  int
	header  textproto.MIMEHeader
	in      *bufio.Reader
	chunked bool
	events  *bufio.Reader // of a watch
}

// ask sends a request.
func ask(t *testing.T, of address, path, accept string) *answer {
	t.Helper()
	conn, err := of.dial(t.Context(), "tcp", of.host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nAccept: %s\r\nAccept-Encoding: %s\r\n\r\n",
		path, of.host, of.token, accept, of.encoding)
	a := &answer{in: bufio.NewReader(conn)}
	lines := textproto.NewReader(a.in)
	line, err := lines.ReadLine()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(line, "HTTP/1.1 %d", &a.status); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	if a.header, err = lines.ReadMIMEHeader(); err != nil {
		t.Fatal(err)
	}
	a.chunked = a.header.Get("Transfer-Encoding") == "chunked"
	return a
}

// chunk returns the next chunk, or nothing after the last.
func (a *answer) chunk(t *testing.T) string {
	t.Helper()
	lines := textproto.NewReader(a.in)
	line, err := lines.ReadLine()
	if err != nil {
		t.Fatal(err)
	}
	length, err := strconv.ParseInt(line, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	text := make([]byte, length+2)
	if _, err := io.ReadFull(a.in, text); err != nil {
		t.Fatal(err)
	}
	return string(text[:length])
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

// plain reads a chunked body, decompressed if it is compressed.
func (a *answer) plain(t *testing.T) io.Reader {
	t.Helper()
	if a.header.Get("Content-Encoding") != "gzip" {
		return &chunks{t: t, of: a}
	}
	zipped, err := gzip.NewReader(&chunks{t: t, of: a})
	if err != nil {
		t.Fatal(err)
	}
	return zipped
}

// chunks reads the chunks of an answer as one text.
type chunks struct {
	t    *testing.T
	of   *answer
	rest string
}

// Read reads some of it.
func (c *chunks) Read(into []byte) (int, error) {
	if c.rest == "" {
		if c.rest = c.of.chunk(c.t); c.rest == "" {
			return 0, io.EOF
		}
	}
	n := copy(into, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// body returns everything up to the end.
func (a *answer) body(t *testing.T) string {
	t.Helper()
	if !a.chunked {
		length, err := strconv.Atoi(a.header.Get("Content-Length"))
		if err != nil {
			t.Fatal(err)
		}
		text := make([]byte, length)
		if _, err := io.ReadFull(a.in, text); err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var text strings.Builder
	for {
		chunk := a.chunk(t)
		if chunk == "" {
			return text.String()
		}
		text.WriteString(chunk)
	}
}

// successful fails the test if the server has refused.
func (a *answer) successful(t *testing.T) *answer {
	t.Helper()
	if a.status != http.StatusOK {
		t.Fatalf("status %d: %s", a.status, a.body(t))
	}
	return a
}

// unzipped is body, decompressed if it is compressed.
func (a *answer) unzipped(t *testing.T) string {
	t.Helper()
	if !a.chunked {
		return a.body(t)
	}
	text, err := io.ReadAll(a.plain(t))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

package wireserver

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
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

// A dialect is a kind in a format: what a client asks for.
type dialect struct {
	kind     schema.GroupVersionKind
	resource string
	path     string
	format   Format
}

var dialects = map[string]dialect{
	"pods as JSON":     {corev1.SchemeGroupVersion.WithKind("Pod"), "pods", "/api/v1/pods", JSON},
	"pods as protobuf": {corev1.SchemeGroupVersion.WithKind("Pod"), "pods", "/api/v1/pods", Protobuf},
	"custom objects":   {workloads, "workloads", "/apis/bench.example.com/v1/workloads", JSON},
}

var workloads = schema.GroupVersionKind{Group: "bench.example.com", Version: "v1", Kind: "Workload"}

func (d dialect) ask(t *testing.T, of address, query string) *answer {
	t.Helper()
	return ask(t, of, d.path+query, d.format.contentType())
}

// server makes a Server with a collection of the kind.
func (d dialect) server(t *testing.T, c Collection) *Server {
	t.Helper()
	c.Kind, c.Resource, c.Formats = d.kind, d.resource, []Format{d.format}
	for _, obj := range c.Objects {
		obj.GetObjectKind().SetGroupVersionKind(d.kind)
	}
	s, err := New(c)
	must(t, err)
	return s
}

// objects are those of a list, and its version.
func (d dialect) objects(t *testing.T, body string) (objects []Object, version int64, next string) {
	t.Helper()
	var about metav1.ListMeta
	if d.kind == workloads {
		list := &unstructured.UnstructuredList{}
		must(t, list.UnmarshalJSON([]byte(body)))
		for i := range list.Items {
			objects = append(objects, &list.Items[i])
		}
		about.ResourceVersion, about.Continue = list.GetResourceVersion(), list.GetContinue()
	} else {
		list := &corev1.PodList{}
		d.decode(t, body, list)
		for i := range list.Items {
			objects = append(objects, &list.Items[i])
		}
		about = list.ListMeta
	}
	return objects, number(t, about.ResourceVersion), about.Continue
}

// decode decodes a typed object.
func (d dialect) decode(t *testing.T, text string, into runtime.Object) {
	t.Helper()
	var err error
	if d.format == JSON {
		err = json.Unmarshal([]byte(text), into)
	} else {
		_, _, err = protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Decode([]byte(text), nil, into)
	}
	must(t, err)
}

// event is the object of an event.
func (d dialect) event(t *testing.T, frame string) Object {
	t.Helper()
	var event metav1.WatchEvent
	if d.format == Protobuf {
		must(t, event.Unmarshal([]byte(frame[4:])))
		var pod corev1.Pod
		d.decode(t, string(event.Object.Raw), &pod)
		return &pod
	}
	var object unstructured.Unstructured
	must(t, json.Unmarshal([]byte(frame), &event))
	must(t, object.UnmarshalJSON(event.Object.Raw))
	return &object
}

func number(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	must(t, err)
	return n
}

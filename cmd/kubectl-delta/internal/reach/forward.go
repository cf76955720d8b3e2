package reach

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/streaming/pkg/httpstream"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
)

// A kubelet that ends a connection has said why just before. This is how long the last word
// may take on its way, and how long it may be.
const (
	lastWordTime = 2 * time.Second
	lastWordSize = 4 << 10
)

// forward is a port-forward to one Pod. client-go's own PortForwarder listens on a port of
// this machine, which every user of it can connect to; this one does not.
type forward struct {
	conn httpstream.Connection
	port uint16
	next atomic.Int64 // numbers the connections; the kubelet pairs streams by it
	lost atomic.Bool  // the kubelet has refused a connection: the Pod may be gone, and that ends no port-forward
	// complaints reads what the kubelet says about each connection.
	complaints *lifecycle.Group
}

// dial opens the port-forward over a WebSocket.
func (p *place) dial(ctx context.Context) (*forward, error) {
	config := rest.CopyConfig(p.config)
	// The dialer takes no context, so it goes along with the request.
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return inContext{ctx, next} })
	way := p.cluster.CoreV1().RESTClient().Post().
		Resource("pods").Namespace(p.pod.Namespace).Name(p.pod.Name).SubResource("portforward").URL()
	dialer, err := portforward.NewSPDYOverWebsocketDialerForStreaming(way, config)
	if err != nil {
		return nil, fmt.Errorf("prepare the port-forward: %w", err)
	}
	conn, protocol, err := dialer.Dial(portforward.PortForwardProtocolV1Name)
	if err != nil {
		return nil, err
	}
	if protocol != portforward.PortForwardProtocolV1Name {
		return nil, errors.Join(fmt.Errorf("the server speaks the protocol %q", protocol), conn.Close())
	}
	return &forward{conn: conn, port: p.port, complaints: lifecycle.New(context.WithoutCancel(ctx))}, nil
}

// inContext gives a request its context.
type inContext struct {
	ctx  context.Context
	next http.RoundTripper
}

func (c inContext) RoundTrip(request *http.Request) (*http.Response, error) {
	return c.next.RoundTrip(request.WithContext(c.ctx))
}

// alive reports whether the port-forward still stands.
func (f *forward) alive() bool {
	select {
	case <-f.conn.CloseChan():
		return false
	default:
		return !f.lost.Load()
	}
}

// Close ends the port-forward and all connections through it, and waits for what it started.
func (f *forward) Close() error {
	err := f.conn.Close()
	f.complaints.Stop()
	return errors.Join(err, f.complaints.Wait())
}

// connect opens a connection to the Pod's port. Its shape is that of a Transport's DialContext;
// the address does not matter, because the port-forward has one Pod and one port.
func (f *forward) connect(context.Context, string, string) (net.Conn, error) {
	headers := http.Header{}
	headers.Set(corev1.PortHeader, strconv.Itoa(int(f.port)))
	headers.Set(corev1.PortForwardRequestIDHeader, strconv.FormatInt(f.next.Add(1), 10))
	headers.Set(corev1.StreamType, corev1.StreamTypeError)
	problems, err := f.conn.CreateStream(headers)
	if err != nil {
		return nil, fmt.Errorf("open a stream of the port-forward: %w", err)
	}
	_ = problems.Close() // for writing: only the kubelet writes to it
	headers.Set(corev1.StreamType, corev1.StreamTypeData)
	data, err := f.conn.CreateStream(headers)
	if err != nil {
		_ = problems.Reset()
		f.conn.RemoveStreams(problems)
		return nil, fmt.Errorf("open a stream of the port-forward: %w", err)
	}
	end, _ := net.Pipe()
	c := &podConn{Conn: end, data: data, problems: problems, from: f, told: make(chan struct{})}
	if !f.complaints.Guest("what the kubelet says", c.listen) {
		_ = c.Close()
		return nil, net.ErrClosed
	}
	return c, nil
}

// podConn is a connection through a port-forward, made of two of its streams.
type podConn struct {
	// Conn leads nowhere. It has the addresses and the deadlines that streams lack: a Transport closes
	// a connection whose time is over.
	net.Conn

	data, problems httpstream.Stream
	from           *forward

	told     chan struct{} // closed when the kubelet has no more to say
	lastWord string        // what it said; set before told is closed

	closing sync.Once
}

// listen reads what the kubelet says, until it ends that stream or the connection is closed.
// It has to: a frame that nobody reads delays the frames of other streams.
func (c *podConn) listen(context.Context) {
	defer close(c.told)
	said, _ := io.ReadAll(io.LimitReader(c.problems, lastWordSize)) // half of it may be of use
	if c.lastWord = strings.TrimSpace(string(said)); c.lastWord != "" {
		c.from.lost.Store(true)
	}
	_, _ = io.Copy(io.Discard, c.problems)
}

// Read reads from the Pod. At the end it looks whether the kubelet gave a reason.
func (c *podConn) Read(into []byte) (int, error) {
	n, err := c.data.Read(into)
	if n > 0 || !errors.Is(err, io.EOF) {
		return n, err
	}
	select {
	case <-c.told:
	case <-time.After(lastWordTime):
		return 0, io.EOF
	}
	if c.lastWord == "" {
		return 0, io.EOF
	}
	return 0, fmt.Errorf("the port-forward reached the Pod and not its port: %s", c.lastWord)
}

// Write writes to the Pod.
func (c *podConn) Write(from []byte) (int, error) { return c.data.Write(from) }

// Close ends both streams.
func (c *podConn) Close() error {
	c.closing.Do(func() {
		_ = c.data.Reset()
		_ = c.problems.Reset()
		c.from.conn.RemoveStreams(c.data, c.problems)
	})
	return nil
}

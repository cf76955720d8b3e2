package reach

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/streaming/pkg/httpstream"

	"github.com/delta-runtime/delta-runtime/internal/lifecycle"
)

// forward is a port-forward to one Pod. client-go's own PortForwarder listens on a port of
// this machine, which every user of it can connect to; this one does not.
type forward struct {
	conn httpstream.Connection
	port int
	next atomic.Int64 // numbers the connections; the kubelet pairs streams by it
	// complaints reads what the kubelet says about each connection.
	complaints *lifecycle.Group
}

// route is where a port-forward begins.
type route struct {
	config *rest.Config
	// url is the Pod's subresource portforward.
	url  *url.URL
	port int
}

// dial opens the port-forward: over a WebSocket, or over SPDY if the server or a proxy before
// it does not take that.
func (r route) dial(ctx context.Context) (*forward, error) {
	config := rest.CopyConfig(r.config)
	// The dialers take no context, so it goes along with the request.
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return inContext{ctx, next} })
	old, upgrader, err := spdy.RoundTripperFor(config)
	if err != nil {
		return nil, fmt.Errorf("prepare the port-forward: %w", err)
	}
	dialer, err := portforward.NewSPDYOverWebsocketDialerForStreaming(r.url, config)
	if err != nil {
		return nil, fmt.Errorf("prepare the port-forward: %w", err)
	}
	dialer = portforward.NewFallbackDialerForStreaming(dialer,
		spdy.NewDialerForStreaming(upgrader, &http.Client{Transport: old}, http.MethodPost, r.url),
		func(err error) bool { return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err) })
	conn, protocol, err := dialer.Dial(portforward.PortForwardProtocolV1Name)
	if err != nil {
		return nil, err
	}
	if protocol != portforward.PortForwardProtocolV1Name {
		return nil, errors.Join(fmt.Errorf("the server speaks the protocol %q", protocol), conn.Close())
	}
	return &forward{conn: conn, port: r.port, complaints: lifecycle.New(context.WithoutCancel(ctx))}, nil
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
		return true
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
	headers.Set(corev1.PortHeader, strconv.Itoa(f.port))
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
	c := &podConn{data: data, problems: problems, from: f, told: make(chan struct{})}
	if !f.complaints.Guest("what the kubelet says", c.listen) {
		_ = c.Close()
		return nil, net.ErrClosed
	}
	return c, nil
}

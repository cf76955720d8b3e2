package reach

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"k8s.io/streaming/pkg/httpstream"
)

// A kubelet that ends a connection has said why just before. This is how long the last word
// may take on its way, and how long it may be.
const (
	lastWordTime = 2 * time.Second
	lastWordSize = 4 << 10
)

// podConn is a connection through a port-forward, made of two of its streams.
type podConn struct {
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
	c.lastWord = strings.TrimSpace(string(said))
	_, _ = io.Copy(io.Discard, c.problems)
}

// Read reads from the Pod. At the end it looks whether the kubelet gave a reason.
func (c *podConn) Read(into []byte) (int, error) {
	n, err := c.data.Read(into)
	if n > 0 || !errors.Is(err, io.EOF) {
		return n, err
	}
	patience := time.NewTimer(lastWordTime)
	defer patience.Stop()
	select {
	case <-c.told:
	case <-patience.C:
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

// podAddr is the address of both ends.
type podAddr struct{}

func (podAddr) Network() string { return "port-forward" }
func (podAddr) String() string  { return "port-forward" }

// LocalAddr returns no address: the connection has no socket.
func (c *podConn) LocalAddr() net.Addr { return podAddr{} }

// RemoteAddr returns no address either.
func (c *podConn) RemoteAddr() net.Addr { return podAddr{} }

// SetDeadline has no effect. An HTTP transport closes a connection whose time is over.
func (c *podConn) SetDeadline(time.Time) error { return nil }

// SetReadDeadline has no effect either.
func (c *podConn) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline has no effect either.
func (c *podConn) SetWriteDeadline(time.Time) error { return nil }

var _ net.Conn = (*podConn)(nil)

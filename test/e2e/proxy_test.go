package e2e

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
)

// proxy passes bytes between informers and the API server, until it is told not to.
type proxy struct {
	to       string
	listener net.Listener
	running  sync.WaitGroup

	mu    sync.Mutex // guards everything below
	conns map[*net.TCPConn]struct{}
	dark  bool // new connections are cut at once
	ended bool
}

// newProxy starts a proxy to an address, which ends with the test.
func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{to: to, listener: listener, conns: map[*net.TCPConn]struct{}{}}
	p.running.Go(p.accept)
	t.Cleanup(p.stop)
	return p
}

func (p *proxy) address() string { return p.listener.Addr().String() }

func (p *proxy) accept() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return // stopped
		}
		p.running.Go(func() { p.serve(conn.(*net.TCPConn)) })
	}
}

func (p *proxy) serve(client *net.TCPConn) {
	if !p.add(client) {
		return
	}
	defer p.remove(client)
	var dialer net.Dialer
	conn, err := dialer.DialContext(context.Background(), "tcp", p.to)
	if err != nil {
		return // the server is down, and the client learns it as from the server
	}
	server := conn.(*net.TCPConn)
	if !p.add(server) {
		return
	}
	defer p.remove(server)
	var both sync.WaitGroup
	both.Go(func() { pipe(server, client) })
	both.Go(func() { pipe(client, server) })
	both.Wait()
}

// pipe copies until either side ends, and then ends the other.
func pipe(to, from *net.TCPConn) {
	_, _ = io.Copy(to, from) // a cut is what this proxy is for
	_ = to.Close()
	_ = from.Close()
}

// add remembers a connection so that it can be cut. It refuses, and closes the
// connection, in the dark.
func (p *proxy) add(conn *net.TCPConn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dark || p.ended {
		reset(conn)
		return false
	}
	p.conns[conn] = struct{}{}
	return true
}

func (p *proxy) remove(conn *net.TCPConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, conn)
	_ = conn.Close()
}

// cut breaks every connection, in the middle of whatever is being said.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.conns {
		reset(conn)
	}
}

// reset closes a connection without a farewell, as a crash of the network would.
func reset(conn *net.TCPConn) {
	_ = conn.SetLinger(0)
	_ = conn.Close()
}

// darken cuts everything and lets nothing through until lighten.
func (p *proxy) darken() {
	p.mu.Lock()
	p.dark = true
	p.mu.Unlock()
	p.cut()
}

func (p *proxy) lighten() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dark = false
}

func (p *proxy) stop() {
	_ = p.listener.Close()
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.cut()
	p.running.Wait()
}

// Package relay puts a line that can be cut between clients and servers.
//
//	client ──▶ Address ──▶ Relay ──▶ the next server that answers
//	                         │
//	             Cut, Darken, Lighten
//
// A relay to several servers stands for what shares connections out among them, as a
// Service does. It is test support: only _test.go files import it.
//
// Any goroutine may call the methods. A relay has goroutines of its own, which are gone
// when its test is.
package relay

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
)

// Relay passes bytes between clients and servers, until it is told not to.
type Relay struct {
	to       []string
	listener net.Listener
	running  sync.WaitGroup

	mu    sync.Mutex // guards everything below
	next  int        // which to try first
	conns map[*net.TCPConn]struct{}
	dark  bool // new connections are cut at once
	ended bool
}

// New starts a relay to an address or to several. Each connection gets the next one that
// answers. It ends with the test.
func New(t testing.TB, to ...string) *Relay {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &Relay{to: to, listener: listener, conns: map[*net.TCPConn]struct{}{}}
	r.running.Go(r.accept)
	t.Cleanup(r.stop)
	return r
}

// Address is where it listens.
func (r *Relay) Address() string { return r.listener.Addr().String() }

func (r *Relay) accept() {
	for {
		conn, err := r.listener.Accept()
		if err != nil {
			return // stopped
		}
		r.running.Go(func() { r.serve(conn.(*net.TCPConn)) })
	}
}

func (r *Relay) serve(client *net.TCPConn) {
	if !r.add(client) {
		return
	}
	defer r.remove(client)
	server := r.dial()
	if server == nil || !r.add(server) { // the servers are down, and the client learns it as from them
		return
	}
	defer r.remove(server)
	var both sync.WaitGroup
	both.Go(func() { pipe(server, client) })
	both.Go(func() { pipe(client, server) })
	both.Wait()
}

// dial connects to the next server that is there; nil says that none is.
func (r *Relay) dial() *net.TCPConn {
	r.mu.Lock()
	first := r.next
	r.next++
	r.mu.Unlock()
	var dialer net.Dialer
	for i := range r.to {
		conn, err := dialer.DialContext(context.Background(), "tcp", r.to[(first+i)%len(r.to)])
		if err == nil {
			return conn.(*net.TCPConn)
		}
	}
	return nil
}

// pipe copies until either side ends, and then ends the other.
func pipe(to, from *net.TCPConn) {
	_, _ = io.Copy(to, from) // a cut is what a relay is for
	_ = to.Close()
	_ = from.Close()
}

// add remembers a connection so that it can be cut. It refuses, and closes the
// connection, in the dark.
func (r *Relay) add(conn *net.TCPConn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dark || r.ended {
		reset(conn)
		return false
	}
	r.conns[conn] = struct{}{}
	return true
}

func (r *Relay) remove(conn *net.TCPConn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.conns, conn)
	_ = conn.Close()
}

// Cut breaks every connection, in the middle of whatever is being said.
func (r *Relay) Cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for conn := range r.conns {
		reset(conn)
	}
}

// reset closes a connection without a farewell, as a crash of the network would.
func reset(conn *net.TCPConn) {
	_ = conn.SetLinger(0)
	_ = conn.Close()
}

// Darken cuts everything and lets nothing through until Lighten.
func (r *Relay) Darken() {
	r.mu.Lock()
	r.dark = true
	r.mu.Unlock()
	r.Cut()
}

// Lighten lets new connections through again.
func (r *Relay) Lighten() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dark = false
}

func (r *Relay) stop() {
	_ = r.listener.Close()
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
	r.Cut()
	r.running.Wait()
}

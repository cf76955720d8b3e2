package sampleoperator

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
)

// balancer stands for the Service of the webhooks: what connects to it is connected to
// a replica that answers.
type balancer struct {
	listener net.Listener
	to       []string
	running  sync.WaitGroup

	mu    sync.Mutex // guards everything below
	next  int
	conns map[net.Conn]struct{}
	ended bool
}

// newBalancer starts one that ends with the test.
func newBalancer(t *testing.T, to ...string) *balancer {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &balancer{listener: listener, to: to, conns: map[net.Conn]struct{}{}}
	b.running.Go(b.accept)
	t.Cleanup(b.stop)
	return b
}

func (b *balancer) address() string { return b.listener.Addr().String() }

func (b *balancer) accept() {
	for {
		conn, err := b.listener.Accept()
		if err != nil {
			return // stopped
		}
		b.running.Go(func() { b.serve(conn) })
	}
}

func (b *balancer) serve(client net.Conn) {
	if !b.add(client) {
		return
	}
	defer b.remove(client)
	server := b.dial()
	if server == nil || !b.add(server) {
		return
	}
	defer b.remove(server)
	var answer sync.WaitGroup
	answer.Go(func() {
		_, _ = io.Copy(client, server)
		_ = client.Close()
	})
	_, _ = io.Copy(server, client)
	_ = server.Close()
	answer.Wait()
}

// dial connects to the next replica that is there.
func (b *balancer) dial() net.Conn {
	b.mu.Lock()
	first := b.next
	b.next++
	b.mu.Unlock()
	var dialer net.Dialer
	for i := range b.to {
		conn, err := dialer.DialContext(context.Background(), "tcp", b.to[(first+i)%len(b.to)])
		if err == nil {
			return conn
		}
	}
	return nil
}

func (b *balancer) add(conn net.Conn) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		_ = conn.Close()
		return false
	}
	b.conns[conn] = struct{}{}
	return true
}

func (b *balancer) remove(conn net.Conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.conns, conn)
	_ = conn.Close()
}

func (b *balancer) stop() {
	b.mu.Lock()
	b.ended = true
	_ = b.listener.Close()
	for conn := range b.conns {
		_ = conn.Close()
	}
	b.mu.Unlock()
	b.running.Wait()
}

package relay_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/delta-runtime/delta-runtime/internal/testing/relay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// greeter is a server that says its name to each client, and then listens.
func greeter(t *testing.T, name string) (address string, stop func()) {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer func() { _ = conn.Close() }()
				_, _ = fmt.Fprintln(conn, name)
				_, _ = conn.Read(make([]byte, 1)) // until it is cut
			})
		}
	})
	stop = func() { _ = listener.Close() } // it may be closed already
	t.Cleanup(func() {
		stop()
		running.Wait()
	})
	return listener.Addr().String(), stop
}

// call connects, and returns who answers; nobody if the connection breaks.
func call(t *testing.T, address string) (who string, conn net.Conn) {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", address)
	if err != nil {
		return "nobody", nil // in the dark it may break before it is made
	}
	t.Cleanup(func() { _ = conn.Close() })
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return "nobody", conn
	}
	return line[:len(line)-1], conn
}

func TestWhatIsCutBreaks(t *testing.T) {
	server, _ := greeter(t, "a")
	r := relay.New(t, server)
	who, conn := call(t, r.Address())
	if who != "a" {
		t.Fatalf("%s answers", who)
	}
	r.Cut()
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("after a cut the connection goes on")
	}
	if who, _ := call(t, r.Address()); who != "a" {
		t.Errorf("after a cut %s answers", who)
	}
	r.Darken()
	if who, _ := call(t, r.Address()); who != "nobody" {
		t.Errorf("in the dark %s answers", who)
	}
	r.Lighten()
	if who, _ := call(t, r.Address()); who != "a" {
		t.Errorf("after the dark %s answers", who)
	}
}

func TestConnectionsAreSharedOut(t *testing.T) {
	a, stopA := greeter(t, "a")
	b, stopB := greeter(t, "b")
	r := relay.New(t, a, b)
	first, _ := call(t, r.Address())
	second, _ := call(t, r.Address())
	if first+second != "ab" {
		t.Errorf("%s and %s answer", first, second)
	}
	stopA()
	for range 2 {
		if who, _ := call(t, r.Address()); who != "b" {
			t.Errorf("with b alone %s answers", who)
		}
	}
	stopB()
	if who, _ := call(t, r.Address()); who != "nobody" {
		t.Errorf("with none %s answers", who)
	}
}

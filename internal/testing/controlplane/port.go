package controlplane

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// FreeAddress finds an address of this machine that nobody listens on, and that nobody else is
// given while the program that listens there is down for a while. It looks below the range from
// which systems give ports to outgoing connections: while the API server is down, any connection
// on this machine could take such a port, and it could not come back.
func FreeAddress(ctx context.Context) (string, error) {
	const lowest, beyond, tries = 10_000, 32_000, 100
	var config net.ListenConfig
	var failed error
	for range tries {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(lowest+rand.IntN(beyond-lowest)))
		listener, err := config.Listen(ctx, "tcp", address)
		if err != nil {
			failed = err
			continue
		}
		if err := listener.Close(); err != nil {
			return "", fmt.Errorf("give back %s: %w", address, err)
		}
		return address, nil
	}
	return "", fmt.Errorf("find a free port: %w", failed)
}

// FreeAddressForTest is FreeAddress for a test, which fails if there is none.
func FreeAddressForTest(t testing.TB) string {
	t.Helper()
	free, err := FreeAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return free
}

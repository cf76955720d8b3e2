package controlplane

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// FreeAddress finds an address of this machine that nobody listens on, and that
// nobody else is given while the program that listens there is down for a while.
func FreeAddress(ctx context.Context) (string, error) {
	port, err := freePort(ctx)
	if err != nil {
		return "", err
	}
	return address(port), nil
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

// freePort finds a port that nobody listens on. It looks below the range from
// which systems give ports to outgoing connections: while the API server is down,
// any connection on this machine could take such a port, and it could not come back.
func freePort(ctx context.Context) (int, error) {
	const lowest, beyond, tries = 10_000, 32_000, 100
	var config net.ListenConfig
	var errs []error
	for range tries {
		port := lowest + rand.IntN(beyond-lowest)
		listener, err := config.Listen(ctx, "tcp", address(port))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if err := listener.Close(); err != nil {
			return 0, fmt.Errorf("give back port %d: %w", port, err)
		}
		return port, nil
	}
	return 0, fmt.Errorf("find a free port: %w", errors.Join(errs...))
}

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
)

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

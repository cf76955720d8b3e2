//go:build !invariants && !race

package lock

import "sync"

// Mutex is a [sync.Mutex] of rank R, which is one of the types in order.go.
type Mutex[R any] struct{ sync.Mutex } //nolint:gocritic // its methods are all that it has

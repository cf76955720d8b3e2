//go:build !invariants || race || (!amd64 && !arm64)

package lock

import "sync"

// checked says whether the order of locks is checked.
const checked = false

// Mutex is a [sync.Mutex] of rank R, which is one of the types in order.go.
type Mutex[R any] struct{ sync.Mutex } //nolint:gocritic // its methods are all that it has

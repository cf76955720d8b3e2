//go:build invariants && !amd64 && !arm64

package lock

// self tells the calling goroutine from all others.
func self() uint64 { return traced() }

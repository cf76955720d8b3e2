//go:build invariants && (amd64 || arm64)

package lock

// self tells the calling goroutine from all others that run: it is the address of what the runtime knows of it, and
// takes a nanosecond. A goroutine that ends hands the address on. So if one ends and holds a lock, a later one seems
// to.
func self() uint64

//go:build invariants

package lock

import "runtime"

// traced is the number of the calling goroutine. Only a stack trace says it, which takes many microseconds.
func traced() (number uint64) {
	const before = "goroutine "
	var trace [len(before) + 20]byte
	n := runtime.Stack(trace[:], false)
	for _, c := range trace[len(before):n] {
		if c < '0' || c > '9' {
			break
		}
		number = number*10 + uint64(c-'0')
	}
	return number
}

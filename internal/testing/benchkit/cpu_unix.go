//go:build unix

package benchkit

import (
	"fmt"
	"syscall"
	"time"
)

// processTime is the user and system time this process has used so far.
func processTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(fmt.Sprintf("BUG: getrusage of this process: %v", err))
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

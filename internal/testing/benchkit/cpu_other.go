//go:build !unix

package benchkit

import "time"

// began stands in for a process clock: where there is no getrusage the figures
// are wall time, which is the same on a machine that does nothing else.
var began = time.Now()

func processTime() time.Duration { return time.Since(began) }

package benchkit

import (
	"fmt"
	"syscall"
	"testing"
	"time"
)

// CPU meters the processor time of the whole process: the system under test, its
// goroutines, and the garbage collector working for it. On a machine that others
// use too it says more than the wall clock, and where work moved to another core
// the wall clock hides it.
type CPU struct {
	spent   time.Duration
	started time.Duration
}

// StartCPU returns a running meter. Start it where the benchmark's timer starts.
func StartCPU() *CPU {
	return &CPU{started: processTime()}
}

// Stop leaves out what is done until [CPU.Start], as b.StopTimer does.
func (c *CPU) Stop() {
	c.spent += processTime() - c.started
}

// Start goes on after [CPU.Stop].
func (c *CPU) Start() {
	c.started = processTime()
}

// Report stops the meter and reports the time for each of ops operations.
func (c *CPU) Report(b *testing.B, ops int) {
	b.Helper()
	c.Stop()
	b.ReportMetric(float64(c.spent)/float64(ops), "cpu-ns/op")
}

// Spent is the time metered up to the last Stop.
func (c *CPU) Spent() time.Duration { return c.spent }

// processTime is the user and system time this process has used so far.
func processTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(fmt.Sprintf("BUG: getrusage of this process: %v", err))
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

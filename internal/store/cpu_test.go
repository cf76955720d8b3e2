package store

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"time"
)

// processCPU is the processor time spent so far. Benchmarks compare by it what runs on a
// machine that others use too.
func processCPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func newOrder(n int) []int { return rand.New(rand.NewPCG(1, 2)).Perm(n) }

// reportCPU reports the processor time of each operation from here to the call of
// what it returns.
func reportCPU(b *testing.B) func() {
	b.ResetTimer()
	start := processCPU()
	return func() {
		b.ReportMetric(float64((processCPU()-start).Nanoseconds())/float64(b.N), "cpu-ns/op")
	}
}

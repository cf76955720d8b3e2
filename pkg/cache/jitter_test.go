package cache

import (
	"math"
	"testing"
	"time"
)

// A SyncPeriod that is as long as can be means as good as never, and not all the time.
func TestJitterOfALongPeriod(t *testing.T) {
	const period = math.MaxInt64 * time.Nanosecond
	for range 100 {
		if got := jittered(period); got < period/10*9-time.Hour {
			t.Fatalf("a period of %v becomes one of %v", period, got)
		}
	}
}

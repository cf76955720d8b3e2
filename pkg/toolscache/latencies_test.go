package toolscache_test

import (
	"math"
	"slices"
	"testing"
	"time"
)

// latencies are durations that somebody has measured.
type latencies []time.Duration

// quantile is the duration that the given share of them do not exceed. It is zero when there are none.
func (l latencies) quantile(share float64) time.Duration {
	if len(l) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(l))[max(0, int(math.Ceil(share*float64(len(l))))-1)]
}

// report reports the 99th percentile and the longest. A percentile of a hundred samples is one
// sample, so the number of them is reported too.
func (l latencies) report(b *testing.B) {
	b.Helper()
	b.ReportMetric(float64(l.quantile(0.99)), "p99-ns")
	b.ReportMetric(float64(l.quantile(1)), "max-ns")
	b.ReportMetric(float64(len(l)), "samples")
}

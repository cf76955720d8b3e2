package benchkit

import (
	"math"
	"slices"
	"testing"
	"time"
)

// Latencies are durations that somebody has measured.
type Latencies []time.Duration

// Quantile is the duration that the given share of them do not exceed. It is zero when there are none.
func (l Latencies) Quantile(share float64) time.Duration {
	if len(l) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(l))[max(0, int(math.Ceil(share*float64(len(l))))-1)]
}

// Report reports the 99th percentile and the longest. A percentile of a hundred samples is one
// sample, so the number of them is reported too.
func (l Latencies) Report(b *testing.B) {
	b.Helper()
	b.ReportMetric(float64(l.Quantile(0.99)), "p99-ns")
	b.ReportMetric(float64(l.Quantile(1)), "max-ns")
	b.ReportMetric(float64(len(l)), "samples")
}

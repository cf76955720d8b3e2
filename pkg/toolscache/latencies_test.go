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

func TestQuantiles(t *testing.T) {
	var l latencies
	for i := range 200 {
		l = append(l, time.Duration(200-i))
	}
	for share, want := range map[float64]time.Duration{0: 1, 0.001: 1, 0.5: 100, 0.99: 198, 1: 200} {
		if got := l.quantile(share); got != want {
			t.Errorf("quantile %v is %d, want %d", share, got, want)
		}
	}
	if got := (latencies{}).quantile(0.99); got != 0 {
		t.Errorf("of nothing it is %d", got)
	}
}

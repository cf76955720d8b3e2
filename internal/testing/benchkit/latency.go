package benchkit

import (
	"fmt"
	"math/bits"
	"testing"
	"time"
)

// Each power of two is cut into 1<<subBits buckets, so a quantile is at most
// 1/(1<<subBits) above the true one.
const (
	subBits    = 6
	subBuckets = 1 << subBits
)

// Latencies counts durations in buckets that grow with the duration. It takes 30
// KB however many are recorded, and recording allocates nothing, so it disturbs
// what it measures as little as a counter does. The zero value is empty.
type Latencies struct {
	counts [(64 - subBits) * subBuckets]uint64
	total  uint64
	worst  time.Duration
}

// Record counts d. A negative d is a broken measurement.
func (l *Latencies) Record(d time.Duration) {
	if d < 0 {
		panic(fmt.Sprintf("BUG: recorded a latency of %v", d))
	}
	l.counts[bucket(uint64(d))]++
	l.total++
	l.worst = max(l.worst, d)
}

// Merge adds what other has counted.
func (l *Latencies) Merge(other *Latencies) {
	for i, n := range &other.counts {
		l.counts[i] += n
	}
	l.total += other.total
	l.worst = max(l.worst, other.worst)
}

// Count is how many were recorded.
func (l *Latencies) Count() uint64 { return l.total }

// Worst is the longest recorded.
func (l *Latencies) Worst() time.Duration { return l.worst }

// Quantile is the duration that the given share of those recorded do not
// exceed, rounded up by less than two percent. It is zero when there are none.
func (l *Latencies) Quantile(share float64) time.Duration {
	rank := uint64(share * float64(l.total))
	if float64(rank) < share*float64(l.total) || rank == 0 {
		rank++
	}
	var seen uint64
	for i, n := range &l.counts {
		seen += n
		if seen >= rank {
			return min(time.Duration(highest(i)), l.worst)
		}
	}
	return l.worst
}

// Report reports the 99th percentile. A percentile of a hundred samples is one
// sample, so the number of them is reported too.
func (l *Latencies) Report(b *testing.B) {
	b.Helper()
	b.ReportMetric(float64(l.Quantile(0.99)), "p99-ns")
	b.ReportMetric(float64(l.total), "samples")
}

// bucket finds where v is counted: values below two times subBuckets have one
// bucket each, larger ones share theirs with those equal in the leading bits.
func bucket(v uint64) int {
	shift := max(0, bits.Len64(v)-1-subBits)
	return shift*subBuckets + int(v>>shift)
}

// highest is the largest value that bucket i counts.
func highest(i int) uint64 {
	if i < 2*subBuckets {
		return uint64(i)
	}
	shift := i/subBuckets - 1
	lead := uint64(i - shift*subBuckets)
	return (lead+1)<<shift - 1
}

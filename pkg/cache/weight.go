package cache

import (
	"time"

	"github.com/delta-runtime/delta-runtime/internal/inspect/footprint"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
)

// weighed is how many objects of a kind are measured at most, and freshWeight how long the outcome
// is good for.
const (
	weighed     = 100
	freshWeight = time.Minute
)

// weight is what the objects of a kind keep alive, as it was estimated.
type weight struct {
	at    time.Time
	bytes uint64
}

// weigh estimates from a sample how many bytes the kind's objects keep alive. Memory that objects
// share counts for each of them.
func (k *kind) weigh(now time.Time) uint64 {
	if known := k.weight.Load(); known != nil && now.Sub(known.at) < freshWeight {
		return known.bytes
	}
	bytes := uint64(0)
	sample, objects := observe.Sample(k.core, weighed)
	for _, obj := range sample {
		bytes += uint64(max(0, footprint.Of(obj)))
	}
	if len(sample) > 0 {
		bytes = bytes * uint64(objects) / uint64(len(sample))
	}
	k.weight.Store(&weight{now, bytes})
	return bytes
}

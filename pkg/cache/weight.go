package cache

import (
	"time"

	"github.com/delta-runtime/delta-runtime/internal/footprint"
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
	view := k.core.Store().View()
	defer view.Release()
	objects := view.Len()
	every := max(1, objects/weighed)
	n, sampled, bytes := 0, 0, uint64(0)
	for _, obj := range view.All() {
		if n++; (n-1)%every == 0 {
			sampled++
			bytes += uint64(max(0, footprint.Of(obj)))
		}
	}
	if sampled > 0 {
		bytes = bytes * uint64(objects) / uint64(sampled)
	}
	k.weight.Store(&weight{now, bytes})
	return bytes
}

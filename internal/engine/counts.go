package engine

import (
	"time"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
)

// Counts are what an informer has done since it was made.
type Counts struct {
	// Reflector has the sum over all scopes that there are now, and all that there were.
	Reflector reflector.Counts
	// Processed are the times that it took to apply and publish what was handed out at once.
	Processed reflector.Reading
	// Oldest is how long the oldest delta has waited that is not visible yet.
	Oldest time.Duration
	// Gaps is what [Informer.Gaps] returns.
	Gaps uint64
}

// Counts takes no lock of the Controller's.
func (i *Informer[T]) Counts() (c Counts) {
	c.Reflector, c.Processed = i.tally.Read(), i.controller.processed.Read()
	if oldest := i.fifo.oldest(); !oldest.IsZero() {
		c.Oldest = max(0, time.Since(oldest))
	}
	c.Gaps = i.Gaps()
	return c
}

// oldest is when the first delta was seen that is not visible yet. It is zero where there is
// none.
func (f *DeltaFIFO[T]) oldest() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case len(f.out.items) > 0:
		return f.out.items[0].Seen
	case len(f.pending.items) > 0:
		return f.pending.items[0].Seen
	default:
		return time.Time{}
	}
}

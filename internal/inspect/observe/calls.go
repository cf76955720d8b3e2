package observe

import (
	"maps"
	"sync/atomic"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// watched are the causes of changes that a watch delivers.
const watched = 1<<delta.Primary | 1<<delta.Owned | 1<<delta.Mapped

// causes is one more than the highest [delta.Cause].
const causes = int(delta.Restart) + 1

// Calls counts the calls of one controller's reconciler. The zero value is ready.
type Calls struct {
	results [journal.Panic + 1]atomic.Uint64
	causes  [causes]atomic.Uint64
	latency reflector.Histogram
	changes atomic.Uint64
	own     atomic.Uint64

	mu      lock.Mutex[lock.Calls] // guards lacking
	lacking map[string]uint64      // Invariant: it has at most as many words as [ledger.Witness] says.
}

// Teller describes what a call is told, as [ledger.Witness] does.
type Teller interface {
	Describe(told delta.Changes, visit func(causes uint16, seen time.Time, own bool))
	Lacking(told delta.Changes) string
}

// Call is a call that has ended.
type Call struct {
	Told  delta.Changes
	Began time.Time
	Came  journal.Result
}

// Note counts a call.
func (c *Calls) Note(by Teller, call Call) {
	c.results[call.Came].Add(1)
	var all uint16
	var changes, own uint64
	by.Describe(call.Told, func(of uint16, seen time.Time, ours bool) {
		all |= of
		changes++
		if ours {
			own++
		}
		if !seen.IsZero() && of&watched != 0 {
			c.latency.Observe(call.Began.Sub(seen))
		}
	})
	c.changes.Add(changes)
	c.own.Add(own)
	for cause := delta.Primary; int(cause) < causes; cause++ {
		if all&(1<<cause) != 0 {
			c.causes[cause].Add(1)
		}
	}
	if lacking := by.Lacking(call.Told); lacking != "" {
		c.lack(lacking)
	}
}

func (c *Calls) lack(word string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lacking == nil {
		c.lacking = map[string]uint64{}
	}
	c.lacking[word]++
}

// CallCounts are what [Calls] has counted.
type CallCounts struct {
	Results map[journal.Result]uint64
	// Causes counts the calls that had a change of a cause. A call may have several.
	Causes map[delta.Cause]uint64
	// Latency has the times from when a watch delivered the first delta of a change to the call.
	Latency reflector.Reading
	Changes uint64
	Own     uint64            // changes that the operator itself has made
	Lacking map[string]uint64 // calls whose changes were not complete
}

// Read returns the counts so far.
func (c *Calls) Read() CallCounts {
	counts := CallCounts{
		Results: map[journal.Result]uint64{}, Causes: map[delta.Cause]uint64{}, Latency: c.latency.Read(),
		Changes: c.changes.Load(), Own: c.own.Load(),
	}
	for how := journal.Success; how <= journal.Panic; how++ {
		counts.Results[how] = c.results[how].Load()
	}
	for cause := delta.Primary; int(cause) < causes; cause++ {
		if n := c.causes[cause].Load(); n > 0 {
			counts.Causes[cause] = n
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	counts.Lacking = maps.Clone(c.lacking)
	return counts
}

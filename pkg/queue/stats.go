package queue

import "time"

// Stats are the numbers of a queue at one instant. Their size is bounded, whatever is in
// the queue.
type Stats struct {
	// Totals since the queue was made.
	Added    uint64 // keys that became queued; a key that was queued already does not count
	Taken    uint64 // keys that were handed out
	Finished uint64 // keys that workers were done with
	Delayed  uint64 // adds with a delay
	Aged     uint64 // keys that were handed out before keys of higher priority, because they had waited long

	// Depth is the number of queued keys by priority. It has the 24 highest priorities in
	// use, and DepthBelow is the sum of the others. A queue with a storage of its caller's
	// has no priorities: all its keys count as priority zero.
	Depth      map[int]int
	DepthBelow int

	// Served says that a worker has asked for a key. Until then nothing is handed out, however long it waits.
	Served  bool
	Waiting int // keys with a delayed add
	Working int // keys that workers have

	// OldestQueued is how long the first key of a lane has been queued, in the lane where
	// that is the longest. It is zero for a queue with a storage of its caller's.
	OldestQueued time.Duration

	LongestWorking time.Duration // how long the slowest worker has had its key
	Unfinished     time.Duration // how long all workers have had their keys, together
}

package queue

import "time"

// Entry is one key of a queue: what the queue knows about it at one instant.
//
// A time is zero where it does not apply. A key may be queued, delayed and worked on in
// any combination. A key that is none of these is not in the queue.
type Entry[K comparable] struct {
	Key      K
	Priority int // of the queued work, else of the delayed add, else of the work being done

	Queued  time.Time // since when the key is queued
	Due     time.Time // when the delayed add becomes due
	Working time.Time // since when a worker has the key

	// Attempts counts the rate limited adds since Forget was last called for the key.
	Attempts int
}

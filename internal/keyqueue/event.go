package keyqueue

import "time"

// EventKind says what happened to a key.
type EventKind uint8

const (
	// The zero EventKind is invalid.
	_ EventKind = iota
	// Queued says that the key became queued. If it was queued already, there is no event.
	Queued
	// Raised says that queued work got a higher priority than From.
	Raised
	// Taken says that a worker got the key, after it was queued for Took.
	Taken
	// Finished says that the worker was done after Took.
	Finished
	// Delayed says that the key was added with a delay, mostly for a retry.
	Delayed
)

// Event is one thing that happened. It has what metrics need, which is not the key.
type Event struct {
	Kind     EventKind
	Priority int
	From     int           // Raised: the priority before
	Took     time.Duration // Taken, Finished
}

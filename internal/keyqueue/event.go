package keyqueue

import "time"

// EventKind says what happened to a key.
type EventKind uint8

const (
	// The zero EventKind is invalid.
	_ EventKind = iota
	// Queued says that the key wants to be worked on. Adding it again is no event.
	Queued
	// Raised says that queued work went from priority From to a higher one.
	Raised
	// Taken says that a worker got the key, after it was queued for Took.
	Taken
	// Finished says that the worker was done after Took.
	Finished
	// Delayed says that somebody asked for the key to be queued later, a retry mostly.
	Delayed
)

// Event is one thing that happened, as metrics want it: without the key.
type Event struct {
	Kind     EventKind
	Priority int
	From     int           // Raised: the priority it had
	Took     time.Duration // Taken, Finished
}

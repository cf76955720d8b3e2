package engine

import "errors"

var (
	// ErrStopped is returned by calls that need an informer that is running or is
	// yet to run, once it has stopped: an Informer runs once.
	ErrStopped = errors.New("informer has stopped")

	// ErrStarted is returned by calls that configure an informer once it runs.
	ErrStarted = errors.New("informer has started")

	// ErrNotSynced is returned by reads of an informer whose first list is not in
	// its store yet: it cannot tell what is there and what is not.
	ErrNotSynced = errors.New("not synced yet")

	// ErrNotCovered is returned by reads of a namespace that no scope of the informer
	// has: nothing is known of it, and nothing will be.
	ErrNotCovered = errors.New("not covered by any scope")

	// ErrOverlap is returned where two scopes of an informer would share a namespace.
	ErrOverlap = errors.New("scopes overlap")

	// ErrClosed is returned by Pop when the queue is closed and empty.
	ErrClosed = errors.New("delta queue is closed")
)

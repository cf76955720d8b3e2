package engine

import "errors"

var (
	// ErrStopped is returned by calls that need an informer that is running or is
	// yet to run, once it has stopped: an Informer runs once.
	ErrStopped = errors.New("informer has stopped")

	// ErrStarted is returned by calls that configure an informer once it runs.
	ErrStarted = errors.New("informer has already started")

	// ErrOverlap is returned where two scopes of an informer would share a namespace.
	ErrOverlap = errors.New("scopes overlap")
)

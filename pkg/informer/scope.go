package informer

import "errors"

// Removal says what subscribers are told of the objects of a scope that is removed.
// The zero Removal is invalid, as neither is harmless.
type Removal uint8

const (
	_ Removal = iota
	// Silently tells nobody: subscribers go on believing what they were told last.
	Silently
	// AsOutOfScope tells a [delta.OutOfScope] of each object.
	AsOutOfScope
)

var (
	// ErrNotSynced is returned by reads of an informer whose first list is not in
	// its store yet: it cannot tell what is there and what is not.
	ErrNotSynced = errors.New("not synced yet")

	// ErrNotCovered is returned by reads of a namespace that no scope of the informer
	// has: nothing is known of it, and nothing will be.
	ErrNotCovered = errors.New("not covered by any scope")
)

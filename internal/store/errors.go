package store

import (
	"errors"
	"fmt"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

var (
	// ErrNoIndex is the cause when an index is read that does not exist.
	ErrNoIndex = errors.New("no such index")
	// ErrIndexExists is the cause when an index is added under a name that is taken.
	ErrIndexExists = errors.New("index exists already")
)

// IndexError is an error that an index function returned for an object. It does
// not hold the object.
type IndexError struct {
	Index string
	Key   delta.Key
	Err   error
}

func (e *IndexError) Error() string {
	return fmt.Sprintf("index %s by %q: %v", e.Key, e.Index, e.Err)
}

// Unwrap returns the index function's error.
func (e *IndexError) Unwrap() error { return e.Err }

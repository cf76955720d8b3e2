package store

import "errors"

var (
	// ErrNoIndex is the cause when an index is read that does not exist.
	ErrNoIndex = errors.New("no such index")
	// ErrIndexExists is the cause when an index is added under a name that is taken.
	ErrIndexExists = errors.New("index exists already")
)

// namesError is about names of indexes. It has the very words of client-go's error, because
// programs know that one by how it begins and ends. So nothing may be added to it on its way to
// where client-go's would come.
type namesError struct {
	words string
	cause error
}

func (e *namesError) Error() string { return e.words }

// Unwrap returns what can be checked for.
func (e *namesError) Unwrap() error { return e.cause }

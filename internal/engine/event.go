package engine

import (
	"github.com/delta-runtime/delta-runtime/internal/timetable"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// event is a delta that was applied to the store, on its way to the subscribers. The
// Controller makes a slice of them from each batch; once published it is shared
// and read-only.
type event[T any] struct {
	delta.Delta[T]

	// to is who is told; nil is everyone. Only a Sync has an audience.
	to *timetable.Audience

	// again marks an Added of an object that was removed silently before. Subscribers
	// that were told of the object then still believe in it.
	again bool
}

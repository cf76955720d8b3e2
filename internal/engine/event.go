package engine

import (
	"github.com/delta-runtime/delta-runtime/internal/timetable"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// event is a Delta on its way through the engine, and what the engine notes beside it. The Controller makes a slice
// of events of each batch; once published it is shared and read-only.
type event[T any] struct {
	delta.Delta[T]

	// to is who is told; nil is everyone. Only a Sync has an audience.
	to *timetable.Audience

	// unchanged marks an object that a relist shows as it is known. It is a Sync, to
	// those who are shown such objects as well as to its audience.
	unchanged bool

	// foreign marks a state that may be of another history: its version says nothing about
	// what we have.
	foreign bool

	// asked means that everybody is to be shown the object, also if this changes nothing.
	asked bool

	// hides means that a state before this one may have been left out.
	hides bool
}

package engine

import (
	"iter"

	"github.com/delta-runtime/delta-runtime/internal/engine/timetable"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Batch is what a [DeltaFIFO] hands out: deltas in the order in which they
// arrived. It belongs to the queue and is not to be used after the next one.
type Batch[T any] struct {
	items    []item[T]
	controls []control
	version  string
}

// Len is the number of deltas.
func (b Batch[T]) Len() int { return len(b.items) }

// Deltas yields the batch. The state before an object is not known yet, so Old is set for
// missed deletions only; and a Sync, whose object is that which is in the store when it is
// applied, has none.
func (b Batch[T]) Deltas() iter.Seq[delta.Delta[T]] {
	return func(yield func(delta.Delta[T]) bool) {
		for i := range b.items {
			if !yield(b.items[i].Delta) {
				return
			}
		}
	}
}

// control is an entry that is not about an object. The Controller carries it out when the batch that it came with is
// visible and published, or abandons it if it ends before.
type control struct {
	carryOut func()
	abandon  func(err error)
}

// asked returns an entry that answers with what call returns or panics with.
func asked(call func() error) (entry control, answer chan error) {
	answer = make(chan error, 1)
	return control{func() { answerWith(answer, call) }, func(err error) { answer <- err }}, answer
}

// event is a Delta on its way through the engine, and what the engine notes beside it. The Controller makes a slice
// of events of each batch; once published it is shared and read-only.
type event[T any] struct {
	delta.Delta[T]

	// to is who is told; nil is everyone. Only a Sync has an audience. One without an origin, which shows an object as
	// it is known, gets it when it is applied.
	to *timetable.Audience

	// foreign marks a state that may be of another history: its version says nothing about
	// what we have.
	foreign bool

	// hides means that a state before this one may have been left out.
	hides bool
}

package engine

import "github.com/delta-runtime/delta-runtime/pkg/delta"

// Witness is shown what subscribers are told, batch by batch, before they are. The Controller
// waits for it. A delta may not be kept by its address, and not be changed.
type Witness[T any] interface {
	Begin()
	Add(d *delta.Delta[T])
	End()
}

// testify shows the events to the witness.
func (c *controller[T]) testify(events []event[T]) {
	if c.witness == nil || len(events) == 0 {
		return
	}
	w := c.witness()
	if w == nil {
		return
	}
	w.Begin()
	defer w.End()
	for i := range events {
		w.Add(&events[i].Delta)
	}
}

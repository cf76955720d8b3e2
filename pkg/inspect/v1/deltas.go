package v1

import "time"

// DeltaList answers /delta/v1/deltas: the last deltas that the journal holds, the newest first.
type DeltaList struct {
	At    time.Time `json:"at"`
	Items []Delta   `json:"items"`
	// Cursor is where the list ends. A stream or a list that goes on from there has it as the parameter since. A stream
	// says so if the operator has started again in between.
	Cursor string `json:"cursor"`
	// Dropped counts the deltas of these kinds that the journal no longer holds.
	Dropped uint64 `json:"dropped"`
	// Cut says what is missing where an answer would be too long, and what to do; empty if all is there.
	Cut string `json:"cut,omitempty"`
}

// Delta is something that happened to an object.
type Delta struct {
	// ID grows with each delta of the process.
	ID uint64 `json:"id"`
	// Seen is when the watch delivered it.
	Seen time.Time `json:"seen"`
	// Kind is a name of /delta/v1/kinds.
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Op is Added, Updated, Deleted, Sync or OutOfScope.
	Op              string `json:"op"`
	ResourceVersion string `json:"resourceVersion"`
	// Manager is the field manager that wrote it, where that is known.
	Manager string `json:"manager,omitempty"`
	// Missed marks a deletion that no event told of.
	Missed bool `json:"missed,omitempty"`
	// Relisted marks a delta that a list showed.
	Relisted bool `json:"relisted,omitempty"`
	// Edits are the fields that an update changed.
	Edits []Edit `json:"edits,omitempty"`
	// EditsLeftOut is set where there are more edits than are shown.
	EditsLeftOut bool `json:"editsLeftOut,omitempty"`
}

// Edit is one field that changed.
type Edit struct {
	Path string `json:"path"`
	// Op is added, removed or changed.
	Op string `json:"op"`
	// Before and After are the values as compact JSON, cut where they are long. They are
	// empty where the value is hidden: those of a Secret always are.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	Hidden bool   `json:"hidden,omitempty"`
}

// Lost is an event of /delta/v1/deltas/stream: deltas that its reader does not get.
type Lost struct {
	// Count is how many the journal had dropped before the reader took them.
	Count uint64 `json:"count"`
	// Restarted is set where the reader asked to go on after a delta of another process. Its
	// IDs mean nothing here, so the stream begins with the oldest delta that the journal has.
	Restarted bool `json:"restarted,omitempty"`
}

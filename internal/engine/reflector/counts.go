package reflector

import "sync/atomic"

// Reason is why a whole list was read.
type Reason uint8

const (
	// First is the first list of the Reflector.
	First Reason = iota
	// Requested means that somebody asked for it.
	Requested
	// Expired means that the server no longer has the history after our version.
	Expired
	// Rewound means that the server went back to before our version.
	Rewound
	// Recheck means that something may have been missed: an event was left out, or the server
	// was away for long.
	Recheck
	// Broken means that the watch or the list before ended with any other error.
	Broken

	reasons = iota
)

var reasonNames = [reasons]string{
	First: "First", Requested: "Requested", Expired: "Expired", Rewound: "Rewound", Recheck: "Recheck", Broken: "Broken",
}

// String is the constant's name.
func (r Reason) String() string { return reasonNames[r] }

// Counts are what Reflectors have done.
type Counts struct {
	// Lists counts the whole lists that were handed on, by [Reason].
	Lists [reasons]uint64
	// Watches counts the watches that were opened.
	Watches uint64
	// Skipped counts the objects and events that were left out.
	Skipped uint64
}

// Tally counts what the Reflectors do that share it. No count falls when one of them ends. The zero value is ready, and
// any goroutine may read it.
type Tally struct {
	lists                     [reasons]atomic.Uint64
	watches, skipped, relists atomic.Uint64
}

// Relists is how many lists were handed on that were not the first of their Reflector.
func (t *Tally) Relists() uint64 { return t.relists.Load() }

// Read returns the counts so far.
func (t *Tally) Read() (c Counts) {
	for i := range t.lists {
		c.Lists[i] = t.lists[i].Load()
	}
	c.Watches, c.Skipped = t.watches.Load(), t.skipped.Load()
	return c
}

// Each yields each reason with its count.
func (c *Counts) Each(yield func(reason Reason, lists uint64) bool) {
	for i, n := range c.Lists {
		if !yield(Reason(i), n) { //nolint:gosec // there are six
			return
		}
	}
}

// reasonToList says why the list is read that is about to begin.
func (r *Reflector[T]) reasonToList(wanted bool) Reason {
	switch {
	case r.listed.IsZero():
		return First
	case r.doubts.behind:
		return Rewound
	case wanted:
		return Requested
	case r.recheck:
		return Recheck
	case r.at.gone, r.expired:
		return Expired
	default:
		return Broken
	}
}

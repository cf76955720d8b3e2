package delta

import (
	"fmt"
	"strings"
)

// Cause is why a request was made.
type Cause uint8

// The first five say how a request came about; the others, that no new change led to it.
const (
	_ Cause = iota
	// Primary is a change of the object that the request is about.
	Primary
	// Owned is a change of an object whose owner the request is about.
	Owned
	// Mapped is a change of an object from which a function derived the request.
	Mapped
	// External is a request from a source that has no objects to show.
	External
	// Generic is an event about an object that is not a change of it, as a channel
	// brings.
	Generic
	// Resync is that it was time to look at an object again, or that somebody asked for it.
	Resync
	// InitialList is an object that was there when its kind was first listed.
	InitialList
	// Retry is that the attempt before this one failed.
	Retry
	// Timer is that the reconciler asked to be called again, and nothing happened in
	// between. If something did, the call for that took the timer's place.
	Timer
	// Relist is that an object was shown as it was known, because its kind was listed
	// again or an event repeated. Nobody asked for it.
	Relist
	// Restart is an object of the first list, compared with how an earlier process had saved
	// it: Sync, Updated, Added, or Deleted unnoticed. The first list of a process without a
	// memory is an InitialList; see manager.WithMemory.
	Restart
)

var causeNames = [...]string{
	Primary: "Primary", Owned: "Owned", Mapped: "Mapped", External: "External", Generic: "Generic",
	Resync: "Resync", InitialList: "InitialList", Retry: "Retry", Timer: "Timer", Relist: "Relist",
	Restart: "Restart",
}

// String is the constant's name.
func (c Cause) String() string {
	if c == 0 || int(c) >= len(causeNames) {
		return fmt.Sprintf("Cause(%d)", uint8(c))
	}
	return causeNames[c]
}

// causes is a set of them.
type causes uint16

func (s causes) has(c Cause) bool { return s&(1<<c) != 0 }

func (s causes) with(c Cause) causes { return s | 1<<c }

// String names all, separated by a plus sign.
func (s causes) String() string {
	var names []string
	for c := Cause(1); int(c) < len(causeNames); c++ {
		if s.has(c) {
			names = append(names, c.String())
		}
	}
	return strings.Join(names, "+")
}

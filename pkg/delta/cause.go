package delta

import "fmt"

// Cause is why a request was made.
type Cause uint8

// The first five say which watch a change came by; the others, that nothing changed.
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
	// Resync is that it was time to look at an object again.
	Resync
	// InitialList is an object that was there when its kind was first listed.
	InitialList
	// Retry is that the attempt before this one failed.
	Retry
	// Timer is that the reconciler asked to be called again, and nothing happened in
	// between.
	Timer
)

var causeNames = [...]string{
	Primary: "Primary", Owned: "Owned", Mapped: "Mapped", External: "External", Generic: "Generic",
	Resync: "Resync", InitialList: "InitialList", Retry: "Retry", Timer: "Timer",
}

// String is the constant's name.
func (c Cause) String() string {
	if c == 0 || int(c) >= len(causeNames) {
		return fmt.Sprintf("Cause(%d)", uint8(c))
	}
	return causeNames[c]
}

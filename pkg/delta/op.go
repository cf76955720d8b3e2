package delta

import "fmt"

// Op is what happened to an object.
type Op uint8

// The zero Op is invalid, so that a Delta somebody forgot to fill in does not
// read as Added.
const (
	_ Op = iota
	// Added means the object was not in the store and now is.
	Added
	// Updated means the object was in the store and has changed.
	Updated
	// Deleted means the object is gone.
	Deleted
	// Replaced means the object was seen in a relist, which may or may not have
	// changed it. It exists only on the way to the store: applying it shows
	// whether it is Added, Updated or nothing, and subscribers are told that.
	Replaced
	// Sync means nothing happened; somebody asked to see the object again.
	Sync
	// OutOfScope means the object is there as before, but it is no longer kept: the
	// part of its kind that it is in is not watched any more. Nothing is cleaned up
	// because of it.
	OutOfScope
)

var opNames = [...]string{Added: "Added", Updated: "Updated", Deleted: "Deleted", Replaced: "Replaced", Sync: "Sync", OutOfScope: "OutOfScope"}

// String is the constant's name.
func (o Op) String() string {
	if o == 0 || int(o) >= len(opNames) {
		return fmt.Sprintf("Op(%d)", uint8(o))
	}
	return opNames[o]
}

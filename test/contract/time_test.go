//go:build slow

package contract

import (
	"slices"
	"testing"
)

// TestTheFakeDoesAsTheServerDoesInTime plays the other scripts. Servers that start again and watches that end by
// themselves take many seconds, and a machine that stands still for seconds changes the outcome.
func TestTheFakeDoesAsTheServerDoesInTime(t *testing.T) {
	inTime := slices.DeleteFunc(allScripts(t), func(s script) bool { return !s.takesTime() })
	if compare(t, inTime) == 0 {
		t.Error("no watch of the server has ended with a bookmark")
	}
}

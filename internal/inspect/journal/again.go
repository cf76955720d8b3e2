package journal

import (
	"slices"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// marker knows how changes came about.
var marker ledger.Marker[delta.Change, delta.Cause] = new(delta.Ledger[int]).Clerk()

// Again reports whether an earlier call was told all of a change, too.
func Again(c *delta.Change) bool { return !marker.HasNews(*c) }

// NewFirst returns what a call was told, with what earlier calls were told behind the rest: a controller that settles nothing is told
// more and more, and only what is new has led to the call.
func NewFirst(told delta.Changes) []delta.Change {
	var all, again []delta.Change
	for c := range told.All() {
		if Again(&c) {
			again = append(again, c)
		} else {
			all = append(all, c)
		}
	}
	return slices.Concat(all, again)
}

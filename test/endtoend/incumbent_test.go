//go:build slow

package endtoend

import "testing"

// TestTheIncumbentSeesEverything plays the forms that TestBothSidesSeeEverything leaves out, because each relist of
// client-go comes after a pause.
func TestTheIncumbentSeesEverything(t *testing.T) {
	for _, form := range []string{typedBinary, untyped} {
		t.Run(form, func(t *testing.T) { seeEverything(t, incumbent, form) })
	}
}

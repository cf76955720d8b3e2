package invariant

import "fmt"

// Check panics if ok is false and the checks are on. Where working out ok costs
// something, guard the call with [Enabled].
func Check(ok bool, format string, args ...any) {
	if Enabled && !ok {
		panic("BUG: " + fmt.Sprintf(format, args...))
	}
}

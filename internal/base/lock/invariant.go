package lock

import "fmt"

// Invariant panics if ok is false and the checks are on. Where working out ok costs
// something, guard the call with [Invariants].
func Invariant(ok bool, format string, args ...any) {
	if Invariants && !ok {
		panic("BUG: " + fmt.Sprintf(format, args...))
	}
}

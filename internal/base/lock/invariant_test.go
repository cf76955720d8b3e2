package lock

import "testing"

func TestInvariant(t *testing.T) {
	Invariant(true, "never seen")
	defer func() {
		switch got := recover(); {
		case Invariants && got != "BUG: 1 is not 2":
			t.Errorf("a broken invariant panicked with %v", got)
		case !Invariants && got != nil:
			t.Errorf("checks are off, yet it panicked with %v", got)
		}
	}()
	Invariant(false, "%d is not %d", 1, 2)
}

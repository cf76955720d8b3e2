package invariant

import "testing"

func TestCheck(t *testing.T) {
	Check(true, "never seen")
	defer func() {
		switch got := recover(); {
		case Enabled && got != "BUG: 1 is not 2":
			t.Errorf("a broken invariant panicked with %v", got)
		case !Enabled && got != nil:
			t.Errorf("checks are off, yet it panicked with %v", got)
		}
	}()
	Check(false, "%d is not %d", 1, 2)
}

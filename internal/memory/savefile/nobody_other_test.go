//go:build !linux

package savefile

import "testing"

// asNobody plays a test. Only Linux has a way to take root's rights from one test.
func asNobody(t *testing.T, test func(home string)) {
	t.Helper()
	test(t.TempDir())
}

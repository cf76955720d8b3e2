package manager_test

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/pkg/manager"
)

// percent returns what the process does now.
func percent() int {
	now := debug.SetGCPercent(100)
	debug.SetGCPercent(now)
	return now
}

// TestWithGC sees that the percentage is set, that the environment stands before it, and that a Configure that fails changes nothing.
func TestWithGC(t *testing.T) {
	before := percent()
	t.Cleanup(func() { debug.SetGCPercent(before) })
	configure := func(with ...manager.Option) error {
		opts := options()
		return manager.Configure(&opts, with...)
	}
	if err := configure(manager.WithGC(0)); err == nil || !strings.Contains(err.Error(), "0 percent") {
		t.Errorf("WithGC(0): %v", err)
	}
	if err := configure(manager.WithGC(250), manager.WithMemory("", manager.MemoryOptions{})); err == nil || percent() != before {
		t.Errorf("after %v the percentage is %d", err, percent())
	}
	t.Setenv("GOGC", "150")
	if err := configure(manager.WithGC(250)); err != nil || percent() != before {
		t.Errorf("with GOGC set the percentage is %d, %v", percent(), err)
	}
	if err := os.Unsetenv("GOGC"); err != nil { // Setenv above restores it
		t.Fatal(err)
	}
	if err := configure(manager.WithGC(250)); err != nil || percent() != 250 {
		t.Errorf("the percentage is %d, %v", percent(), err)
	}
}

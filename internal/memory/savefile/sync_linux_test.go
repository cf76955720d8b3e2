package savefile

import (
	"errors"
	"io/fs"
	"testing"
)

// TestAFileSystemMayNotSyncDirectories has one that can't at hand.
func TestAFileSystemMayNotSyncDirectories(t *testing.T) {
	if err := (system{}).sync("/proc"); err != nil {
		t.Error(err)
	}
	if err := (system{}).sync(t.TempDir() + "/missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory that is missing: %v", err)
	}
}

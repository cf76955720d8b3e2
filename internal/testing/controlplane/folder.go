package controlplane

import (
	"fmt"
	"os"
	"path/filepath"
)

// pattern names the folders of running planes, and nothing else.
const pattern = "delta-runtime-controlplane-*"

// newFolder makes the folder of a Plane, after removing those of planes whose
// process was killed. It is claimed under another name first: nobody may take a
// folder that is not claimed yet for an abandoned one.
func newFolder() (folder string, release func(), err error) {
	sweep()
	made, err := os.MkdirTemp("", "new-"+pattern)
	if err != nil {
		return "", nil, fmt.Errorf("make a folder for the control plane: %w", err)
	}
	release, err = claim(made)
	if err != nil {
		return "", nil, fmt.Errorf("claim the folder of the control plane: %w", err)
	}
	folder = filepath.Join(filepath.Dir(made), filepath.Base(made)[len("new-"):])
	if err := os.Rename(made, folder); err != nil {
		release()
		return "", nil, fmt.Errorf("name the folder of the control plane: %w", err)
	}
	return folder, release, nil
}

// sweep removes abandoned folders. It is a courtesy: what it cannot remove belongs
// to somebody else, and is not this Plane's concern.
func sweep() {
	folders, err := filepath.Glob(filepath.Join(os.TempDir(), pattern))
	if err != nil {
		panic(fmt.Sprintf("BUG: %q is not a pattern: %v", pattern, err))
	}
	for _, folder := range folders {
		if abandoned(folder) {
			_ = os.RemoveAll(folder)
		}
	}
}

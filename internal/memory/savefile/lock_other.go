//go:build !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd && !windows

package savefile

import (
	"io"
	"os"
	"path/filepath"
)

// lock keeps nobody out: these systems have no lock that ends with its process, and one that
// outlives it would keep the next process out.
func (system) lock(dir string) (io.Closer, error) {
	return os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
}

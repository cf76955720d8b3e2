//go:build !windows && !plan9 && !js && !wasip1

package savefile

import (
	"errors"
	"os"
	"syscall"
)

func (system) sync(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) {
		err = nil // this file system knows no such thing, so there is nothing to wait for
	}
	return errors.Join(err, f.Close())
}

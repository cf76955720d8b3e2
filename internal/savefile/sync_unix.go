//go:build !windows && !plan9 && !js && !wasip1

package savefile

import (
	"errors"
	"os"
)

func (system) sync(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

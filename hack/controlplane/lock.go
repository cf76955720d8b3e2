//go:build unix

package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"syscall"
)

// lock makes this process the only one that builds into a folder. The operating
// system lets go of it when the process ends, however that happens.
func lock(path string, progress *log.Logger) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the lock: %w", err)
	}
	err = flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		progress.Printf("waiting for another process that holds %s", path)
		err = flock(f, syscall.LOCK_EX)
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { _ = f.Close() }, nil
}

func flock(f *os.File, how int) error {
	for {
		// A signal, of which the Go runtime sends itself many, interrupts the wait.
		if err := syscall.Flock(int(f.Fd()), how); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// lock makes this process the only one that builds into a folder. The operating system
// releases the lock when the process ends, even if it is killed.
func (b *builder) lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the lock: %w", err)
	}
	err = flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		b.progress.Printf("waiting for another process that holds %s", path)
		stop := b.repeat(func() { b.progress.Printf("still waiting for the process that holds %s", path) })
		err = flock(f, syscall.LOCK_EX)
		stop()
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { _ = f.Close() }, nil
}

// repeat calls tell at every beat until stop is called. The first beat comes early, because
// there may be no message before it.
func (b *builder) repeat(tell func()) (stop func()) {
	ticker, stopped, ended := time.NewTicker(b.beat/3), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-stopped:
				return
			case <-ticker.C:
				tell()
				ticker.Reset(b.beat)
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(stopped)
		<-ended
	}
}

func flock(f *os.File, how int) error {
	for {
		// A signal interrupts the wait, and the Go runtime sends itself many signals.
		if err := syscall.Flock(int(f.Fd()), how); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

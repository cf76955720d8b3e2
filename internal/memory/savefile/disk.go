package savefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// disk is what a Dir asks of the system. It is an interface so that a test can lose what
// was not synced.
type disk interface {
	files
	folders
}

// files are the regular files of a directory.
type files interface {
	// create makes a new file that only its owner may read. A file that exists is an error.
	create(path string) (file, error)
	open(path string) (io.ReadCloser, error)
	rename(from, to string) error
	remove(path string) error
}

// folders are the directories.
type folders interface {
	// make makes a directory and what is missing above it, in a way that outlives a crash.
	make(dir string) error
	// list returns the sizes of the regular files in a directory.
	list(dir string) (map[string]int64, error)
	// sync makes lasting what has been renamed and removed in a directory.
	sync(dir string) error
	// lock returns what to close to give a directory free.
	lock(dir string) (io.Closer, error)
}

// file is a file that is being written.
type file interface {
	io.WriteCloser
	Sync() error
}

// system is the disk of the operating system.
type system struct{}

func (system) create(path string) (file, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// open takes regular files only: to open a pipe would wait for ever.
func (system) open(path string) (io.ReadCloser, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("open %s: it is not a regular file", path)
	}
	return os.Open(path)
}

func (system) rename(from, to string) error { return os.Rename(from, to) }

func (system) remove(path string) error { return os.Remove(path) }

func (s system) make(dir string) error {
	err := os.Mkdir(dir, 0o700)
	parent := filepath.Dir(dir)
	if errors.Is(err, fs.ErrNotExist) && parent != dir {
		if err := s.make(parent); err != nil {
			return err
		}
		err = os.Mkdir(dir, 0o700)
	}
	if err == nil {
		return s.sync(parent)
	}
	switch info, statErr := os.Stat(dir); {
	case statErr != nil:
		return err
	case !info.IsDir():
		return &os.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
	}
	// A process may have been killed between the two steps above. If the parent can't be synced, it
	// belongs to somebody else, who has made this directory, too.
	_ = s.sync(parent)
	return nil
}

func (system) list(dir string) (map[string]int64, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	sizes := map[string]int64{}
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			continue
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // somebody has removed it since
		}
		if err != nil {
			return nil, err
		}
		sizes[entry.Name()] = info.Size()
	}
	return sizes, nil
}

package savefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"sync/atomic"
)

// Options are how a directory is kept. The zero value is one without a key and without a limit.
type Options struct {
	// Key seals everything with AES-GCM. It has 16, 24 or 32 bytes. Without one, files are
	// only protected from accidents.
	Key []byte
	// MaxBytes is the most that all files have together, also the one that is being written.
	// A save needs room for the old file and the new one. 0 means no limit.
	MaxBytes int64
}

// Dir is a directory with a file for each label. Any goroutine may call its methods.
type Dir struct {
	path  string
	disk  disk
	key   []byte
	max   int64
	block int         // the most that a block has; tests make it small
	lock  io.Closer   // nil if the Dir only reads
	mine  atomic.Bool // whether files may be written: the Dir is locked, and not closed
}

// Open opens a directory, which it makes if it is missing, and locks it. It removes files that were not finished.
func Open(dir string, opts Options) (*Dir, error) { return open(system{}, dir, opts) }

func open(on disk, dir string, opts Options) (*Dir, error) {
	d, err := at(on, dir, opts)
	if err != nil {
		return nil, err
	}
	if err := on.make(d.path); err != nil {
		return nil, fmt.Errorf("make a directory to save to: %w", err)
	}
	if d.lock, err = on.lock(d.path); err != nil {
		return nil, fmt.Errorf("open %s: %w", d.path, err)
	}
	if _, err := d.tidy(); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", d.path, err), d.lock.Close())
	}
	d.mine.Store(true)
	return d, nil
}

// OpenToRead opens a directory that another process may have open. Nothing can be written.
func OpenToRead(dir string, opts Options) (*Dir, error) { return at(system{}, dir, opts) }

// at returns the Dir of a path, which only reads so far.
func at(on disk, dir string, opts Options) (*Dir, error) {
	err := checkKey(opts.Key)
	if err == nil && opts.MaxBytes < 0 {
		err = fmt.Errorf("MaxBytes is %d, and can't be negative", opts.MaxBytes)
	}
	path := ""
	if err == nil {
		path, err = filepath.Abs(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	return &Dir{path: path, disk: on, key: slices.Clone(opts.Key), max: opts.MaxBytes, block: blockSize}, nil
}

// tidy removes files that were not finished, and returns how many bytes the others have. Nobody writes meanwhile.
func (d *Dir) tidy() (used int64, err error) {
	there, err := d.disk.list(d.path)
	if err != nil {
		return 0, err
	}
	for name, size := range there {
		if isFile(name) {
			used += size
		} else if isLeftover(name) {
			if err := d.disk.remove(filepath.Join(d.path, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return 0, err
			}
		}
	}
	return used, nil
}

// Close gives the directory free. A file that is being written can't be finished any more.
func (d *Dir) Close() error {
	if !d.mine.Swap(false) {
		return nil
	}
	if err := d.lock.Close(); err != nil {
		return fmt.Errorf("close %s: %w", d.path, err)
	}
	return nil
}

// Keep removes the files of all labels but these, and has them stay removed after a crash.
func (d *Dir) Keep(labels ...string) error {
	err := ErrClosed
	if d.mine.Load() {
		err = d.keep(labels)
	}
	if err != nil {
		return fmt.Errorf("remove old files from %s: %w", d.path, err)
	}
	return nil
}

func (d *Dir) keep(labels []string) error {
	kept := map[string]bool{}
	for _, label := range labels {
		kept[fileName(label)] = true
	}
	there, err := d.disk.list(d.path)
	for name := range there {
		if isFile(name) && !kept[name] {
			err = errors.Join(err, d.disk.remove(filepath.Join(d.path, name)))
		}
	}
	return errors.Join(err, d.disk.sync(d.path))
}

package savefile

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/delta-runtime/delta-runtime/internal/lock"
)

// Options are how a directory is kept. The zero value is one without a key and without a limit.
type Options struct {
	// Key seals everything with AES-GCM. It has 16, 24 or 32 bytes. Without one, files are
	// only protected from accidents.
	Key []byte
	// MaxBytes is the most that all files have together, also those that are being written.
	// A save needs room for the old files and the new ones. 0 means no limit.
	MaxBytes int64
}

// Dir is a directory with saved files and a manifest that names them. Any goroutine may call
// its methods.
type Dir struct {
	path  string
	disk  disk
	key   []byte
	max   int64
	block int // the most that a block has; tests make it small
	lock  io.Closer

	// mu guards what follows. The files themselves are read and written without it.
	mu     lock.Mutex[lock.SaveFiles]
	sizes  map[string]int64 // of the finished files, and of the manifest
	used   int64            // bytes of these, and of what is being written
	kept   []string         // the files that a manifest names that may be the one after a crash
	known  bool             // whether kept is all of them
	busy   bool             // whether a Commit or a Sweep is in progress
	closed bool
}

// Open opens a directory, which it makes if it is missing, and locks it. It removes what a
// crash has left behind: unfinished files, and those that the manifest does not keep. If the
// manifest is refused, it only removes unfinished ones, because with another key all may be well.
func Open(dir string, opts Options) (*Dir, error) { return open(system{}, dir, opts) }

func open(on disk, dir string, opts Options) (*Dir, error) {
	if err := checkKey(opts.Key); err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	if opts.MaxBytes < 0 {
		return nil, fmt.Errorf("open %s: MaxBytes is %d, and can't be negative", dir, opts.MaxBytes)
	}
	d, err := at(on, dir, opts)
	if err != nil {
		return nil, err
	}
	path := d.path
	if err := on.make(path); err != nil {
		return nil, fmt.Errorf("make a directory to save to: %w", err)
	}
	if d.lock, err = on.lock(path); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if err := d.start(); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), d.lock.Close())
	}
	return d, nil
}

// OpenToRead opens a directory that another process may have open. Only [Dir.Manifest], [Dir.Open] and [Dir.Close] may be
// called. A file that the manifest names may be gone by the time it is opened.
func OpenToRead(dir string, opts Options) (*Dir, error) {
	if err := checkKey(opts.Key); err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	d, err := at(system{}, dir, opts)
	if err != nil {
		return nil, err
	}
	d.lock = io.NopCloser(nil)
	return d, nil
}

// at returns the Dir of a path, which is not locked yet.
func at(on disk, dir string, opts Options) (*Dir, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	return &Dir{path: path, disk: on, key: slices.Clone(opts.Key), max: opts.MaxBytes, block: blockSize}, nil
}

// start finds out what is there, and tidies up.
func (d *Dir) start() error {
	// The manifest that is there now may not be on the disk yet, if a process was killed before
	// it could sync. To remove what it does not keep would lose the one that is.
	if err := d.disk.sync(d.path); err != nil {
		return err
	}
	there, err := d.disk.list(d.path)
	if err != nil {
		return err
	}
	d.sizes = map[string]int64{}
	for name, size := range there {
		switch {
		case isLeftover(name):
			if err := d.disk.remove(filepath.Join(d.path, name)); err != nil {
				return err
			}
		case isFile(name) || name == manifestName:
			d.sizes[name] = size
			d.used += size
		}
	}
	var refused *Refused
	_, d.kept, err = d.manifest()
	switch {
	case errors.As(err, &refused):
		return nil
	case err != nil && !errors.Is(err, ErrNone):
		return err
	}
	d.known = true
	return d.Sweep()
}

// Close gives the directory free. Files that are being written can't be
// finished any more.
func (d *Dir) Close() error {
	d.mu.Lock()
	closed := d.closed
	d.closed = true
	d.mu.Unlock()
	if closed {
		return nil
	}
	if err := d.lock.Close(); err != nil {
		return fmt.Errorf("close %s: %w", d.path, err)
	}
	return nil
}

// Create begins a new file. The label is for people: it becomes a part of the name. The
// header comes back from [Reader.Header].
func (d *Dir) Create(label string, header []byte) (*Writer, error) {
	name := newName(label)
	return d.newWriter(name+temporary, name, header)
}

// Open opens a file for reading, by the name that Finish returned, and checks its header.
func (d *Dir) Open(name string) (*Reader, error) {
	if !isFile(name) {
		return nil, &Refused{Path: filepath.Join(d.path, filepath.Base(name)), Why: "no saved file has such a name"}
	}
	r, err := d.newReader(name)
	var refused *Refused
	switch {
	case missing(err):
		return nil, &Refused{Path: filepath.Join(d.path, name), Why: "it is not there", Err: err}
	case err != nil && !errors.As(err, &refused):
		return nil, fmt.Errorf("open a saved file: %w", err)
	}
	return r, err
}

// take counts bytes that are about to be written.
func (d *Dir) take(n int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return ErrClosed
	}
	if d.max > 0 && d.used+int64(n) > d.max {
		return fmt.Errorf("%w: %d bytes are in use and %d more are needed, but %d are allowed", ErrFull, d.used, n, d.max)
	}
	d.used += int64(n)
	return nil
}

// give is for bytes that are gone again.
func (d *Dir) give(n int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.used -= n
}

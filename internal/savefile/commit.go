package savefile

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
)

// Manifest returns the manifest that was committed last, as it is on the disk now. The error
// is ErrNone if there is none, and a *Refused if it is not one that can be trusted.
func (d *Dir) Manifest() ([]byte, error) {
	manifest, _, err := d.manifest()
	return manifest, err
}

// manifest returns the manifest, and the names of the files that it keeps.
func (d *Dir) manifest() (manifest []byte, keep []string, err error) {
	r, err := d.newReader(manifestName)
	var refused *Refused
	switch {
	case missing(err):
		return nil, nil, fmt.Errorf("read the manifest in %s: %w", d.path, ErrNone)
	case err != nil && !errors.As(err, &refused):
		return nil, nil, fmt.Errorf("read the manifest: %w", err)
	case err != nil:
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		record, err := r.Next()
		switch {
		case errors.Is(err, io.EOF) && r.count > 0:
			return manifest, keep, nil
		case errors.Is(err, io.EOF):
			return nil, nil, r.refuseLast("it has no records")
		case err != nil:
			return nil, nil, err
		case r.count == 1:
			manifest = slices.Clone(record)
		default:
			keep = append(keep, string(record))
		}
	}
}

// Commit replaces the manifest. After a crash at any moment there is the old one or this one,
// with all the files that were kept with it. Then it removes the finished files that are not in
// keep. It removes on a best effort, because the new manifest counts by then: what stays counts
// against MaxBytes, and the next Commit, Sweep or Open tries again.
//
// After an error the manifest is the old one, or this one if the system could not say which. Then the
// files of both stay.
func (d *Dir) Commit(manifest []byte, keep []string) error {
	if err := d.begin(keep); err != nil {
		return fmt.Errorf("commit to %s: %w", d.path, err)
	}
	defer d.done()
	w, err := d.newWriter(newName("manifest")+temporary, manifestName, nil)
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	defer w.Abandon()
	if err := w.Record(manifest); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	for _, name := range keep {
		if err := w.Record([]byte(name)); err != nil {
			return fmt.Errorf("commit: %w", err)
		}
	}
	if err := w.complete(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	if err := d.replace(w, keep); err != nil {
		return fmt.Errorf("commit: %w", w.failure(err))
	}
	_ = d.sweep() // see above
	return nil
}

// Sweep removes the finished files that the manifest does not keep: those of a save that was
// given up. Files that are being written stay. It does nothing if the manifest was refused.
func (d *Dir) Sweep() error {
	err := d.begin(nil)
	if err == nil {
		defer d.done()
		err = d.sweep()
	}
	if err != nil {
		return fmt.Errorf("remove what the manifest in %s does not keep: %w", d.path, err)
	}
	return nil
}

// begin takes the turn to change what is kept.
func (d *Dir) begin(keep []string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return ErrClosed
	case d.busy:
		return ErrBusy
	}
	for _, name := range keep {
		if _, there := d.sizes[name]; !there || !isFile(name) {
			return fmt.Errorf("keep %q: no finished file has this name", name)
		}
	}
	d.busy = true
	return nil
}

func (d *Dir) done() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.busy = false
}

// publish gives a file its name for good.
func (d *Dir) publish(w *Writer) error {
	if err := d.usable(); err != nil {
		w.discard(w.temporary)
		return err
	}
	final := filepath.Join(d.path, w.name)
	if err := d.disk.rename(w.temporary, final); err != nil {
		w.discard(w.temporary)
		return err
	}
	if err := d.disk.sync(d.path); err != nil {
		w.discard(final)
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sizes[w.name] = w.size
	return nil
}

// replace puts a manifest in the place of the old one. Until the directory is synced nobody
// knows which of them a crash leaves, so the files of both are kept.
func (d *Dir) replace(w *Writer, keep []string) error {
	err := d.usable()
	if err == nil {
		d.mu.Lock()
		d.kept = append(d.kept, keep...)
		d.mu.Unlock()
		err = d.disk.rename(w.temporary, filepath.Join(d.path, manifestName))
	}
	if err != nil {
		w.discard(w.temporary)
		return err
	}
	d.mu.Lock()
	d.used -= d.sizes[manifestName]
	d.sizes[manifestName] = w.size
	d.mu.Unlock()
	if err := d.disk.sync(d.path); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept, d.known = slices.Clone(keep), true
	return nil
}

// sweep removes what is not kept.
func (d *Dir) sweep() error {
	var failed error
	for name, size := range d.unkept() {
		err := d.disk.remove(filepath.Join(d.path, name))
		if err != nil && !missing(err) {
			failed = err
			continue
		}
		d.mu.Lock()
		delete(d.sizes, name)
		d.used -= size
		d.mu.Unlock()
	}
	return failed
}

// unkept returns the files that no manifest needs.
func (d *Dir) unkept() map[string]int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	files := map[string]int64{}
	for name, size := range d.sizes {
		if d.known && name != manifestName && !slices.Contains(d.kept, name) {
			files[name] = size
		}
	}
	return files
}

func (d *Dir) usable() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return ErrClosed
	}
	return nil
}

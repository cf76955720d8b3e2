package savefile

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

const (
	maxRecord = 64 << 20  // the most that a record has
	window    = 256 << 10 // how far back records are compared to compress them; a reader needs as much memory
)

// Writer writes one file. It belongs to one goroutine.
type Writer struct {
	dir       *Dir
	path      string // of the finished file
	temporary string // its path until then
	file      file
	packer    *zstd.Encoder // writes to the sealer
	sealer    *sealer       // writes to the file

	used int64 // bytes of all files, also of this one
	err  error // why nothing can be added any more
	gone bool  // whether Abandon has been called, which Finish does, too
}

// Create begins the file of a label, which takes the place of the one that is there once it is finished. The label is
// also a part of the file's name. The header comes back from [Reader.Header]. The caller has one Writer at a time, and no Keep meanwhile.
func (d *Dir) Create(label string, header []byte) (*Writer, error) {
	name := fileName(label)
	w := &Writer{dir: d, path: filepath.Join(d.path, name), temporary: filepath.Join(d.path, newTemporary(label))}
	err := ErrClosed
	if d.mine.Load() {
		err = w.start(name, header)
	}
	if err != nil {
		w.Abandon()
		return nil, fmt.Errorf("create %s: %w", w.path, err)
	}
	return w, nil
}

// start makes the file, and writes what comes before the records.
func (w *Writer) start(name string, head []byte) (err error) {
	if w.used, err = w.dir.tidy(); err != nil {
		return err
	}
	if w.file, err = w.dir.disk.create(w.temporary); err != nil {
		w.file = nil
		return err
	}
	preamble := newPreamble(w.dir.key)
	if _, err := (limited{w}).Write(preamble); err != nil {
		return err
	}
	seal, err := newSeal(preamble, w.dir.key, name)
	if err != nil {
		return err
	}
	w.sealer = &sealer{to: limited{w}, seal: seal, most: w.dir.block}
	w.packer, err = zstd.NewWriter(w.sealer, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), // which starts no goroutine
		zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false))
	if err != nil {
		return err
	}
	return w.add(head)
}

// Record adds a record. An error says that the file can't be finished any more; then every later call returns it, too.
func (w *Writer) Record(data []byte) error {
	if w.err == nil {
		w.err = w.add(data)
	}
	return w.failure()
}

// add writes the length of a record, and the record.
func (w *Writer) add(data []byte) error {
	if len(data) > maxRecord {
		return fmt.Errorf("a record of %d bytes is too long, %d are allowed", len(data), maxRecord)
	}
	var length [binary.MaxVarintLen32]byte
	if _, err := w.packer.Write(length[:binary.PutUvarint(length[:], uint64(len(data)))]); err != nil {
		return err
	}
	_, err := w.packer.Write(data)
	return err
}

// limited writes bytes to the file of a Writer as they are, if there is room.
type limited struct{ *Writer }

func (w limited) Write(b []byte) (int, error) {
	n := int64(len(b))
	if most := w.dir.max; most > 0 && w.used+n > most {
		return 0, fmt.Errorf("%w: %d bytes are in use and %d more are needed, but %d are allowed", ErrFull, w.used, n, most)
	}
	w.used += n
	return w.file.Write(b)
}

// Finish makes the file last, in the place of the old one. After an error there is the old one, or this one if the
// system could not say which.
func (w *Writer) Finish() error {
	defer w.Abandon()
	for _, step := range []func() error{w.packer.Close, w.end, w.file.Sync, w.file.Close, w.publish} {
		if w.err == nil {
			w.err = step()
		}
	}
	return w.failure()
}

// end writes the last block.
func (w *Writer) end() error {
	return w.sealer.flush(last)
}

// publish gives the file its name for good.
func (w *Writer) publish() error {
	if !w.dir.mine.Load() {
		return ErrClosed
	}
	if err := w.dir.disk.rename(w.temporary, w.path); err != nil {
		return err
	}
	return w.dir.disk.sync(w.dir.path)
}

// Abandon removes what was not finished. It does nothing after Finish, so it can be deferred.
func (w *Writer) Abandon() {
	if w.gone {
		return
	}
	w.gone, w.err = true, cmp.Or(w.err, ErrClosed)
	if w.file != nil {
		_ = w.file.Close()                 // nobody will miss what is not written
		_ = w.dir.disk.remove(w.temporary) // the next Create or Open tries again
	}
}

func (w *Writer) failure() error {
	if w.err != nil {
		return fmt.Errorf("write %s: %w", w.path, w.err)
	}
	return nil
}

package savefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

// Writer writes one file. It belongs to one goroutine.
type Writer struct {
	dir       *Dir
	name      string // of the finished file
	temporary string // its path until then
	file      file
	by        protection
	packer    *zstd.Encoder

	block  []byte // records that are not written yet
	packed []byte // room for a block as it is compressed
	out    []byte // room for a block as it is written
	number uint64 // of the next block
	count  uint64 // of records
	size   int64  // of the file, also what the Dir counts for it
	err    error  // why nothing can be added any more
	gone   bool   // whether Finish or Abandon has been called
}

// newWriter makes a file that becomes name when it is finished.
func (d *Dir) newWriter(temporary, name string, head []byte) (*Writer, error) {
	w := &Writer{dir: d, name: name, temporary: filepath.Join(d.path, temporary)}
	if len(head) > d.block {
		return nil, fmt.Errorf("create %s: a header of %d bytes: %w, %d are allowed", filepath.Join(d.path, name), len(head), ErrTooLong, d.block)
	}
	begin := newPreamble(d.key)
	w.by = begin.protection(d.key, name)
	if err := d.take(preambleLength); err != nil {
		return nil, fmt.Errorf("create %s: %w", filepath.Join(d.path, name), err)
	}
	var err error
	if w.file, err = d.disk.create(w.temporary); err != nil {
		d.give(preambleLength)
		return nil, fmt.Errorf("create a file to save to: %w", err)
	}
	w.size = preambleLength
	if w.packer, err = newPacker(d.block); err == nil {
		_, err = w.file.Write(begin.append())
	}
	if err == nil {
		err = w.write(header, head)
	}
	if err != nil {
		w.err = err
		w.Abandon()
		return nil, fmt.Errorf("create %s: %w", filepath.Join(d.path, name), err)
	}
	return w, nil
}

// newPacker returns what compresses a block. It starts no goroutine.
func newPacker(block int) (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(max(block, zstd.MinWindowSize)), zstd.WithEncoderCRC(false), zstd.WithSingleSegment(true))
}

// Record adds a record. An error says that this record is too long, or that the file can't be
// finished any more; then every later call returns it, too.
func (w *Writer) Record(data []byte) error {
	if w.err == nil && w.gone {
		w.err = ErrClosed
	}
	if w.err != nil {
		return w.failure(w.err)
	}
	if len(data) > maxRecord {
		return w.failure(fmt.Errorf("a record of %d bytes: %w, %d are allowed", len(data), ErrTooLong, maxRecord))
	}
	if w.err = w.add(data); w.err != nil {
		return w.failure(w.err)
	}
	w.count++
	return nil
}

// add keeps a record in one block if it can, so that a reader need not copy it.
func (w *Writer) add(data []byte) error {
	limit := w.dir.block
	if len(w.block) > 0 && len(w.block)+binary.MaxVarintLen32+len(data) > limit {
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.block = binary.AppendUvarint(w.block, uint64(len(data)))
	for len(w.block)+len(data) > limit {
		room := limit - len(w.block)
		w.block, data = append(w.block, data[:room]...), data[room:]
		if err := w.flush(); err != nil {
			return err
		}
	}
	w.block = append(w.block, data...)
	return nil
}

// flush writes the records that are there as a block.
func (w *Writer) flush() error {
	if len(w.block) == 0 {
		return nil
	}
	err := w.write(plain, w.block)
	w.block = w.block[:0]
	return err
}

// write writes a block, and packs it if that makes it smaller.
func (w *Writer) write(k kind, block []byte) error {
	h := head{kind: k, length: len(block), unpacked: len(block)}
	if k == plain {
		w.packed = w.packer.EncodeAll(block, w.packed[:0])
		if len(w.packed) < len(block) {
			h.kind, h.length, block = packed, len(w.packed), w.packed
		}
	}
	w.out = h.append(w.out[:0])
	w.out = w.by.protect(w.out, w.out[:headLength], block, w.number)
	if err := w.dir.take(len(w.out)); err != nil {
		return err
	}
	w.size += int64(len(w.out))
	w.number++
	_, err := w.file.Write(w.out)
	return err
}

// Finish makes the file last and returns its name. After an error it is gone.
func (w *Writer) Finish() (name string, err error) {
	if err := w.complete(); err != nil {
		return "", err
	}
	if err := w.dir.publish(w); err != nil {
		return "", w.failure(err)
	}
	return w.name, nil
}

// complete writes what is left and syncs it, under the temporary name.
func (w *Writer) complete() error {
	if w.err == nil && w.gone {
		w.err = ErrClosed
	}
	if w.err == nil {
		w.err = w.flush()
	}
	if w.err == nil {
		w.err = w.write(end, binary.LittleEndian.AppendUint64(nil, w.count))
	}
	if w.err == nil {
		w.err = w.file.Sync()
	}
	if w.err != nil {
		w.Abandon()
		return w.failure(w.err)
	}
	w.gone = true
	if err := errors.Join(w.file.Close(), w.packer.Close()); err != nil {
		w.discard(w.temporary)
		return w.failure(err)
	}
	return nil
}

// Abandon removes the file. It does nothing after Finish, so it can be deferred.
func (w *Writer) Abandon() {
	if w.gone {
		return
	}
	w.gone = true
	_ = w.file.Close() // nobody will miss what is not written
	if w.packer != nil {
		_ = w.packer.Close()
	}
	w.discard(w.temporary)
}

// discard removes the file. Its bytes count until it is really gone.
func (w *Writer) discard(path string) {
	if err := w.dir.disk.remove(path); err == nil {
		w.dir.give(w.size)
	}
}

func (w *Writer) failure(err error) error {
	return fmt.Errorf("write %s: %w", filepath.Join(w.dir.path, w.name), err)
}

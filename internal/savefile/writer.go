package savefile

import (
	"encoding/binary"
	"fmt"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

// Writer writes one file. It belongs to one goroutine.
type Writer struct {
	dir       *Dir
	path      string // of the finished file
	temporary string // its path until then
	file      file
	by        protection
	packer    *zstd.Encoder

	block  []byte // records that are not written yet
	packed []byte // room for a block as it is compressed
	out    []byte // room for a block as it is written
	number uint64 // of the next block
	count  uint64 // of records
	used   int64  // bytes of all files, also of this one
	err    error  // why nothing can be added any more
	gone   bool   // whether Finish or Abandon has been called
}

// Create begins the file of a label, which takes the place of the one that is there once it is finished. The label is
// also a part of the file's name. The header comes back from [Reader.Header]. One file can be written at a time.
func (d *Dir) Create(label string, header []byte) (*Writer, error) {
	name := fileName(label)
	w := &Writer{dir: d, path: filepath.Join(d.path, name), temporary: filepath.Join(d.path, newTemporary(label))}
	err := d.begin()
	if err == nil {
		if err = w.start(name, header); err == nil {
			return w, nil
		}
		w.Abandon()
	}
	return nil, fmt.Errorf("create %s: %w", w.path, err)
}

// start makes the file, and writes what comes before the records.
func (w *Writer) start(name string, head []byte) (err error) {
	if len(head) > w.dir.block {
		return fmt.Errorf("a header of %d bytes: %w, %d are allowed", len(head), ErrTooLong, w.dir.block)
	}
	if w.used, err = w.dir.tidy(); err != nil {
		return err
	}
	if w.packer, err = newPacker(w.dir.block); err != nil {
		return err
	}
	made, err := w.dir.disk.create(w.temporary)
	if err != nil {
		return err
	}
	w.file = made
	begin := newPreamble(w.dir.key)
	w.by = begin.protection(w.dir.key, name)
	if err := w.put(begin.append()); err != nil {
		return err
	}
	return w.write(header, head)
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
	w.number++
	return w.put(w.out)
}

// put writes bytes, if there is room.
func (w *Writer) put(b []byte) error {
	n := int64(len(b))
	if most := w.dir.max; most > 0 && w.used+n > most {
		return fmt.Errorf("%w: %d bytes are in use and %d more are needed, but %d are allowed", ErrFull, w.used, n, most)
	}
	w.used += n
	_, err := w.file.Write(b)
	return err
}

// Finish makes the file last, in the place of the old one. After an error there is the old one, or this one if the
// system could not say which.
func (w *Writer) Finish() error {
	defer w.Abandon()
	if w.err == nil && w.gone {
		w.err = ErrClosed
	}
	for _, step := range []func() error{w.flush, w.end, w.file.Sync, w.file.Close, w.publish} {
		if w.err == nil {
			w.err = step()
		}
	}
	if w.err != nil {
		return w.failure(w.err)
	}
	return nil
}

// end writes the last block.
func (w *Writer) end() error {
	return w.write(end, binary.LittleEndian.AppendUint64(nil, w.count))
}

// publish gives the file its name for good.
func (w *Writer) publish() error {
	if !w.dir.isMine() {
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
	w.gone = true
	if w.packer != nil {
		_ = w.packer.Close()
	}
	if w.file != nil {
		_ = w.file.Close()                 // nobody will miss what is not written
		_ = w.dir.disk.remove(w.temporary) // the next Create or Open tries again
	}
	w.dir.done()
}

func (w *Writer) failure(err error) error { return fmt.Errorf("write %s: %w", w.path, err) }

package savefile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

// Reader reads one file. It belongs to one goroutine.
type Reader struct {
	path     string
	file     io.Closer
	from     *bufio.Reader
	by       protection
	unpacker *zstd.Decoder

	head   []byte // what Create was given
	rest   []byte // of the block at hand: records that Next has not returned yet
	long   []byte // room for a record that is in several blocks
	block  []byte // room for a block as it is read
	room   []byte // for a block as it is unpacked
	begin  [headLength]byte
	number uint64 // of the next block
	at     int64  // where it begins
	count  uint64 // of records
	err    error  // what Next returns from now on
}

// buffer is small: a block that is larger goes around it.
const buffer = 16 << 10

// Open opens the finished file of a label, and checks its header. The error is an fs.ErrNotExist if there is none, and a
// *Refused if it is not one that can be trusted.
func (d *Dir) Open(label string) (*Reader, error) { return d.read(fileName(label)) }

func (d *Dir) read(name string) (*Reader, error) {
	path := filepath.Join(d.path, name)
	f, err := d.disk.open(path)
	if err != nil {
		return nil, fmt.Errorf("open a saved file: %w", err)
	}
	r := &Reader{path: path, file: f, from: bufio.NewReaderSize(f, buffer)}
	if err := r.start(d.key, name); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return r, nil
}

// start reads up to the first record.
func (r *Reader) start(key []byte, name string) error {
	b := make([]byte, preambleLength)
	n, err := io.ReadFull(r.from, b)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return r.refuse("it can't be read", err)
	}
	var p preamble
	if wrong := p.parse(b[:n]); wrong != "" {
		return r.refuse(wrong, nil)
	}
	switch {
	case p.sealed && key == nil:
		return r.refuse("it is sealed, and there is no key", nil)
	case !p.sealed && key != nil:
		return r.refuse("it is not sealed, although there is a key", nil)
	case !p.isOf(key):
		return r.refuse("it is sealed with another key", nil)
	}
	r.by, r.at = p.protection(key, name), preambleLength
	h, block, err := r.next()
	if err != nil {
		return err
	}
	if h.kind != header {
		return r.refuse("no header is where one should be", nil)
	}
	r.head = append([]byte(nil), block...)
	r.unpacker, err = newUnpacker()
	return err
}

// newUnpacker returns what unpacks a block, into no more room than it is given. It starts
// no goroutine.
func newUnpacker() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(blockSize),
		zstd.WithDecoderMaxWindow(blockSize), zstd.WithDecodeAllCapLimit(true))
}

// Header returns what Create was given.
func (r *Reader) Header() []byte { return r.head }

// Next returns the next record, which is valid until the next call. After the last one it
// returns io.EOF, and after Close ErrClosed. Any other error is a *Refused: all records before
// it are right, and nobody knows what is missing.
func (r *Reader) Next() ([]byte, error) {
	if r.err != nil {
		return nil, r.err
	}
	record, err := r.record()
	if err != nil {
		r.err = err
		return nil, err
	}
	r.count++
	return record, nil
}

func (r *Reader) record() ([]byte, error) {
	for len(r.rest) == 0 {
		if err := r.refill(); err != nil {
			return nil, err
		}
	}
	length, n := binary.Uvarint(r.rest)
	if n <= 0 || length > maxRecord {
		return nil, r.refuseLast("a record has no length that it may have")
	}
	missing := int(length)
	r.rest = r.rest[n:]
	if missing <= len(r.rest) {
		record := r.rest[:missing:missing]
		r.rest = r.rest[missing:]
		return record, nil
	}
	// The room grows with what is really there, whatever the length says.
	r.long = append(r.long[:0], r.rest...)
	for missing -= len(r.rest); missing > 0; {
		err := r.refill()
		if errors.Is(err, io.EOF) {
			err = r.refuseLast("it ends within a record")
		}
		if err != nil {
			return nil, err
		}
		n := min(missing, len(r.rest))
		r.long = append(r.long, r.rest[:n]...)
		r.rest, missing = r.rest[n:], missing-n
	}
	return r.long, nil
}

// refill gets the next block with records. It returns io.EOF if there is an intact end instead.
func (r *Reader) refill() error {
	h, block, err := r.next()
	if err != nil {
		return err
	}
	switch h.kind {
	case plain:
		r.rest = block
		return nil
	case packed:
		r.room = atLeast(r.room, h.unpacked, blockSize)
		r.rest, err = r.unpacker.DecodeAll(block, r.room[:0:h.unpacked])
		if err != nil || len(r.rest) != h.unpacked {
			return r.refuseLast("its records can't be unpacked")
		}
		return nil
	case end:
		return r.finish(binary.LittleEndian.Uint64(block))
	default:
		return r.refuseLast("a header is where records should be")
	}
}

// finish checks the end.
func (r *Reader) finish(count uint64) error {
	if count != r.count {
		return r.refuseLast(fmt.Sprintf("%d records were written, and %d are here", count, r.count))
	}
	switch _, err := r.from.ReadByte(); {
	case err == nil:
		return r.refuse("something follows after the end", nil)
	case !errors.Is(err, io.EOF):
		return r.refuse("it can't be read", err)
	}
	return io.EOF
}

// next reads a block and checks it.
func (r *Reader) next() (head, []byte, error) {
	if err := r.read(r.begin[:]); err != nil {
		return head{}, nil, err
	}
	h, ok := parseHead(r.begin[:])
	if !ok {
		return h, nil, r.refuse("no block begins like this", nil)
	}
	length := h.length + tagLength
	r.block = atLeast(r.block, length, blockSize+tagLength)
	block := r.block[:length]
	if err := r.read(block); err != nil {
		return h, nil, err
	}
	block, ok = r.by.reveal(r.begin[:], block, r.number)
	if !ok {
		return h, nil, r.refuse("it is not what was written there", nil)
	}
	r.at += int64(headLength + length)
	r.number++
	return h, block, nil
}

// atLeast returns room for n bytes. It grows in steps, and never beyond the most that is needed.
func atLeast(room []byte, n, most int) []byte {
	if cap(room) >= n {
		return room
	}
	return make([]byte, 0, min(max(n, 2*cap(room)), most))
}

// read reads a part of a block.
func (r *Reader) read(b []byte) error {
	_, err := io.ReadFull(r.from, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return r.refuse("it ends here, without an end", nil)
	}
	if err != nil {
		return r.refuse("it can't be read", err)
	}
	return nil
}

// refuse is about the block that is to be read next.
func (r *Reader) refuse(why string, err error) error {
	refused := &Refused{Path: r.path, Why: why, Err: err}
	if r.at > 0 {
		refused.Where = fmt.Sprintf("block %d, at byte %d", r.number, r.at)
	}
	return refused
}

// refuseLast is about the block that was read last.
func (r *Reader) refuseLast(why string) error {
	return &Refused{Path: r.path, Where: fmt.Sprintf("block %d, before byte %d", r.number-1, r.at), Why: why}
}

// Close closes the file.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	r.unpacker.Close()
	err := r.file.Close()
	r.file, r.err = nil, ErrClosed
	return err
}

// missing says whether a file is not there.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

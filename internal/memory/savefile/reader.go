package savefile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

// Reader reads one file. It belongs to one goroutine.
type Reader struct {
	path     string
	file     io.Closer
	opener   *opener
	unpacker *zstd.Decoder
	from     *bufio.Reader // of the unpacker
	head     []byte        // what Create was given
	record   bytes.Buffer  // what Next has returned
}

// Open opens the finished file of a label, and checks its header. The error is an fs.ErrNotExist if there is none, and a
// ErrRefused if it is not one that can be trusted.
func (d *Dir) Open(label string) (*Reader, error) { return d.read(fileName(label)) }

func (d *Dir) read(name string) (*Reader, error) {
	path := filepath.Join(d.path, name)
	f, err := d.disk.open(path)
	if err != nil {
		return nil, fmt.Errorf("open a saved file: %w", err)
	}
	r := &Reader{path: path, file: f}
	if err := r.start(bufio.NewReader(f), d.key, name); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// start reads up to the first record.
func (r *Reader) start(from *bufio.Reader, key []byte, name string) error {
	preamble := make([]byte, preambleLength)
	n, err := io.ReadFull(from, preamble)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return refuse(r.path, "", "it can't be read", err)
	}
	if why := wrong(preamble[:n], key); why != "" {
		return refuse(r.path, "", why, nil)
	}
	seal, err := newSeal(preamble, key, name)
	if err != nil {
		return refuse(r.path, "", "it can't be opened", err)
	}
	r.opener = &opener{path: r.path, from: from, seal: seal, at: preambleLength}
	// It starts no goroutine, and makes no more room than a writer needs, whatever the file says.
	r.unpacker, err = zstd.NewReader(r.opener, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(window))
	if err != nil {
		return r.refuse("it can't be unpacked", err)
	}
	r.from = bufio.NewReader(r.unpacker)
	head, err := r.Next()
	if errors.Is(err, io.EOF) {
		err = r.refuse("it has no header", nil)
	}
	r.head = bytes.Clone(head)
	return err
}

// Header returns what Create was given.
func (r *Reader) Header() []byte { return r.head }

// Next returns the next record, which is valid until the next call. After the last one it
// returns io.EOF. Any other error is an ErrRefused: all records before it are right, and nobody knows what is missing.
// There is no next record after an error, nor after Close.
func (r *Reader) Next() ([]byte, error) {
	if err := r.next(); err != nil {
		return nil, err
	}
	return r.record.Bytes(), nil
}

// next reads a record. The room for it grows with what is really there, whatever the length says.
func (r *Reader) next() error {
	r.record.Reset()
	length, err := binary.ReadUvarint(r.from)
	if errors.Is(err, io.EOF) {
		return io.EOF
	}
	if err == nil && length > maxRecord {
		return r.refuse("a record has no length that it may have", nil)
	}
	if err == nil {
		_, err = io.CopyN(&r.record, r.from, int64(length)) //nolint:gosec // at most maxRecord
	}
	switch broken := r.opener.err; {
	case err == nil:
		return nil
	case broken != nil && !errors.Is(broken, io.EOF):
		return broken
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF): // which must not be in the error: it would be a good end
		return r.refuse("it ends within a record", nil)
	default:
		return r.refuse("its records can't be unpacked", err)
	}
}

func (r *Reader) refuse(why string, err error) error {
	return refuse(r.path, fmt.Sprintf("before byte %d", r.opener.at), why, err)
}

// Close closes the file.
func (r *Reader) Close() error {
	if r.unpacker != nil {
		r.unpacker.Close()
	}
	return r.file.Close()
}

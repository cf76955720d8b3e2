package savefile

import (
	"bufio"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	version   = 2        // of the format
	blockSize = 64 << 10 // the most that a block has

	magicLength    = 8
	fixedLength    = magicLength + 2 // magic, version, whether there is a key
	saltLength     = 32
	preambleLength = fixedLength + saltLength
	headLength     = 5  // of a block: kind, length
	tagLength      = 16 // of a block's seal
)

// magic is how each file begins. Its first byte is in no text, and its line ends show a
// transfer that has changed them.
var magic = [magicLength]byte{0x9d, 'D', 'S', 'A', 'V', 'E', '\r', '\n'}

// noKey stands in for the key of a directory that has none. It is public, so a seal made with it is a checksum.
var noKey = []byte("checksums need no secret")

// newPreamble returns the beginning of a new file: how to read the rest, and a salt, so that no two files have the same key.
func newPreamble(key []byte) []byte {
	p := append(append(make([]byte, 0, preambleLength), magic[:]...), version, 0)
	if key != nil {
		p[magicLength+1] = 1
	}
	p = p[:preambleLength]
	_, _ = rand.Read(p[fixedLength:]) // never fails
	return p
}

// wrong returns why what begins like this can't be read with a key, or nothing.
func wrong(preamble, key []byte) string {
	switch {
	case len(preamble) < magicLength || [magicLength]byte(preamble) != magic:
		return "it does not begin as a saved file does"
	case len(preamble) < preambleLength:
		return "it ends within its first bytes"
	case preamble[magicLength] != version:
		return fmt.Sprintf("it has format version %d, and this program reads version %d", preamble[magicLength], version)
	case preamble[magicLength+1] != 0 && key == nil:
		return "it is sealed, and there is no key"
	case preamble[magicLength+1] == 0 && key != nil:
		return "it is not sealed, although there is a key"
	default:
		return ""
	}
}

// newSeal returns what seals the blocks of the file of a name. A file that is renamed, or has another preamble, has
// another seal, so nothing in it is right any more. There is no seal where the program may use FIPS 140 alone.
func newSeal(preamble, key []byte, name string) (cipher.AEAD, error) {
	if key == nil {
		key = noKey
	}
	own, err := hkdf.Key(sha256.New, key, preamble[fixedLength:], string(preamble[:fixedLength])+name, 32)
	if err != nil {
		return nil, fmt.Errorf("derive a key: %w", err)
	}
	block, err := aes.NewCipher(own)
	if err != nil {
		return nil, fmt.Errorf("make a cipher: %w", err)
	}
	seal, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("make a seal: %w", err)
	}
	return seal, nil
}

// checkKey says what is wrong with a key.
func checkKey(key []byte) error {
	switch len(key) {
	case 16, 24, 32:
		return nil
	}
	if key == nil {
		return nil
	}
	return fmt.Errorf("the key has %d bytes, and must have 16, 24 or 32", len(key))
}

// nonce is the number that a block has in its file: each file has a key of its own, so no nonce is ever used twice.
func nonce(number uint64) []byte {
	return binary.BigEndian.AppendUint64(make([]byte, 4, 12), number)
}

// kind is what a block is.
type kind byte

const (
	more kind = 'm' // another one follows
	last kind = 'l' // nothing comes after it
)

// sealer writes what it is given in blocks.
type sealer struct {
	to     io.Writer
	seal   cipher.AEAD
	most   int // that a block has
	block  []byte
	out    []byte
	number uint64
}

// Write keeps what is not yet a whole block.
func (s *sealer) Write(b []byte) (int, error) {
	n := len(b)
	for len(s.block)+len(b) > s.most {
		room := s.most - len(s.block)
		s.block, b = append(s.block, b[:room]...), b[room:]
		if err := s.flush(more); err != nil {
			return 0, err
		}
	}
	s.block = append(s.block, b...)
	return n, nil
}

// flush writes a block.
func (s *sealer) flush(k kind) error {
	begin := binary.LittleEndian.AppendUint32(append(s.out[:0], byte(k)), uint32(len(s.block)))
	s.out = s.seal.Seal(begin, nonce(s.number), s.block, begin)
	s.block = s.block[:0]
	s.number++
	_, err := s.to.Write(s.out)
	return err
}

// opener reads what a sealer wrote. Its error is io.EOF after an intact end, and otherwise an ErrRefused.
type opener struct {
	path   string
	from   *bufio.Reader
	seal   cipher.AEAD
	whole  bool // the last block was read
	rest   []byte
	room   []byte
	number uint64 // of the next block
	at     int64  // where it begins
	err    error
}

// Read returns nothing of a block before it has checked all of it.
func (o *opener) Read(b []byte) (int, error) {
	for len(o.rest) == 0 && o.err == nil {
		o.err = o.next()
	}
	n := copy(b, o.rest)
	o.rest = o.rest[n:]
	if n == 0 && len(b) > 0 {
		return 0, o.err
	}
	return n, nil
}

// next reads a block.
func (o *opener) next() error {
	if o.whole {
		if _, err := o.from.ReadByte(); err == nil {
			return o.refuse("something follows after the end", nil)
		} else if !errors.Is(err, io.EOF) {
			return o.refuse("it can't be read", err)
		}
		return io.EOF
	}
	var begin [headLength]byte
	if err := o.read(begin[:]); err != nil {
		return err
	}
	k, length := kind(begin[0]), binary.LittleEndian.Uint32(begin[1:])
	if k != more && k != last || length > blockSize { // before anything is allocated for it
		return o.refuse("no block begins like this", nil)
	}
	if n := int(length) + tagLength; cap(o.room) < n {
		o.room = make([]byte, 0, n)
	}
	sealed := o.room[:length+tagLength]
	if err := o.read(sealed); err != nil {
		return err
	}
	block, err := o.seal.Open(sealed[:0], nonce(o.number), sealed, begin[:])
	switch {
	case err != nil && o.number == 0:
		return o.refuse("it is sealed with another key, or is not what was written there", nil)
	case err != nil:
		return o.refuse("it is not what was written there", nil)
	}
	o.rest, o.whole = block, k == last
	o.at += int64(headLength + len(sealed))
	o.number++
	return nil
}

// read reads a part of a block.
func (o *opener) read(b []byte) error {
	_, err := io.ReadFull(o.from, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return o.refuse("it ends here, without an end", nil)
	}
	if err != nil {
		return o.refuse("it can't be read", err)
	}
	return nil
}

// refuse is about the block that is to be read next.
func (o *opener) refuse(why string, err error) error {
	return refuse(o.path, fmt.Sprintf("block %d, at byte %d", o.number, o.at), why, err)
}

package savefile

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
)

// noKey stands in for the key of a directory that has none. It is public, and encrypts
// nothing: it makes checksums of different files differ.
var noKey = []byte("checksums need no secret")

// protection makes a block of a file one that nobody can change, or nobody by accident.
type protection interface {
	// protect appends a block, as it goes into the file after its head.
	protect(to, head, block []byte, number uint64) []byte
	// reveal is the way back. Its result shares memory with the block.
	reveal(head, block []byte, number uint64) ([]byte, bool)
}

// newPreamble returns the beginning of a new file.
func newPreamble(key []byte) preamble {
	p := preamble{sealed: key != nil}
	_, _ = rand.Read(p.salt[:]) // never fails
	p.check = [checkLength]byte(derive(key, &p, "check", checkLength))
	return p
}

// isOf says whether the file was written with this key.
func (p *preamble) isOf(key []byte) bool {
	return subtle.ConstantTimeCompare(p.check[:], derive(key, p, "check", checkLength)) == 1
}

// protection returns what a file is protected with that has this preamble and this name. A
// file that is renamed has another one, so nothing in it is right any more.
func (p *preamble) protection(key []byte, name string) protection {
	own := derive(key, p, "file "+name, 32)
	if key == nil {
		return summed{own}
	}
	block, err := aes.NewCipher(own)
	if err != nil {
		panic(fmt.Sprintf("BUG: a key of 32 bytes: %v", err))
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(fmt.Sprintf("BUG: GCM of AES: %v", err))
	}
	return sealed{aead}
}

// derive returns a key for one purpose in one file.
func derive(key []byte, p *preamble, purpose string, length int) []byte {
	if key == nil {
		key = noKey
	}
	derived, err := hkdf.Key(sha256.New, key, p.salt[:], string(p.fixed())+purpose, length)
	if err != nil {
		panic(fmt.Sprintf("BUG: derive %d bytes: %v", length, err))
	}
	return derived
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
	return errors.New("the key has " + strconv.Itoa(len(key)) + " bytes, and must have 16, 24 or 32")
}

// sealed is a protection from everybody without the key. Each file has a key of its own, and
// each block the number that it has there as its nonce: so no nonce is ever used twice.
type sealed struct{ aead cipher.AEAD }

func (s sealed) protect(to, head, block []byte, number uint64) []byte {
	return s.aead.Seal(to, nonce(number), block, head)
}

func (s sealed) reveal(head, block []byte, number uint64) ([]byte, bool) {
	opened, err := s.aead.Open(block[:0], nonce(number), block, head)
	return opened, err == nil
}

func nonce(number uint64) []byte {
	return binary.BigEndian.AppendUint64(make([]byte, 4, 12), number)
}

// summed is a protection from accidents. SHA-256 is as fast as a disk, and takes a block
// of another file or of another place for the wrong one as surely as a damaged one.
type summed struct{ own []byte }

func (s summed) protect(to, head, block []byte, number uint64) []byte {
	return append(append(to, block...), s.sum(head, block, number)...)
}

func (s summed) reveal(head, block []byte, number uint64) ([]byte, bool) {
	n := len(block) - tagLength
	return block[:n], bytes.Equal(block[n:], s.sum(head, block[:n], number))
}

func (s summed) sum(head, block []byte, number uint64) []byte {
	h := sha256.New()
	_, _ = h.Write(s.own) // never fails
	_, _ = h.Write(nonce(number))
	_, _ = h.Write(head)
	_, _ = h.Write(block)
	return h.Sum(nil)[:tagLength]
}

func decimal(b byte) string { return strconv.Itoa(int(b)) }

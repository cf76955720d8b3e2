package savefile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
)

const (
	version   = 1         // of the format
	blockSize = 256 << 10 // the most that a block has when it is unpacked
	maxRecord = 64 << 20  // the most that a record has

	magicLength    = 8
	saltLength     = 32
	checkLength    = 16
	fixedLength    = magicLength + 2 // magic, version, whether it is sealed
	preambleLength = fixedLength + saltLength + checkLength + tagLength
	tagLength      = 16 // of a block's checksum or seal
	headLength     = 9  // of a block: kind, length as it is, length unpacked
)

// magic is how each file begins. Its first byte is in no text, and its line ends show a
// transfer that has changed them.
var magic = [magicLength]byte{0x9d, 'D', 'S', 'A', 'V', 'E', '\r', '\n'}

// kind is what a block has.
type kind byte

const (
	header kind = 'h' // what Create was given
	plain  kind = 'r' // records, as they are
	packed kind = 'z' // records, compressed
	end    kind = 'e' // the number of records; nothing comes after it
)

// preamble is the beginning of a file. Only here is anything not sealed, so it has nothing
// that has to be secret.
type preamble struct {
	sealed bool
	salt   [saltLength]byte  // random: no two files have the same keys
	check  [checkLength]byte // follows from key and salt: tells another key from damage
}

// fixed is the part that says how to read the rest.
func (p *preamble) fixed() []byte {
	b := append(make([]byte, 0, preambleLength), magic[:]...)
	if p.sealed {
		return append(b, version, 1)
	}
	return append(b, version, 0)
}

func (p *preamble) append() []byte {
	b := append(append(p.fixed(), p.salt[:]...), p.check[:]...)
	sum := sha256.Sum256(b)
	return append(b, sum[:tagLength]...)
}

// parse returns what is wrong with a preamble, or nothing.
func (p *preamble) parse(b []byte) string {
	if len(b) < magicLength || !bytes.Equal(b[:magicLength], magic[:]) {
		return "it does not begin as a saved file does"
	}
	if len(b) < preambleLength {
		return "it ends within its first bytes"
	}
	if b[magicLength] != version {
		return "it has format version " + decimal(b[magicLength]) + ", and this program reads version " + decimal(version)
	}
	sum := sha256.Sum256(b[:preambleLength-tagLength])
	if !bytes.Equal(sum[:tagLength], b[preambleLength-tagLength:]) || b[magicLength+1] > 1 {
		return "its first bytes are damaged"
	}
	p.sealed = b[magicLength+1] == 1
	copy(p.salt[:], b[fixedLength:])
	copy(p.check[:], b[fixedLength+saltLength:])
	return ""
}

// head is what stands before each block. It is authenticated with the block.
type head struct {
	kind             kind
	length, unpacked int
}

func (h head) append(b []byte) []byte {
	b = append(b, byte(h.kind))
	b = binary.LittleEndian.AppendUint32(b, uint32(h.length))
	return binary.LittleEndian.AppendUint32(b, uint32(h.unpacked))
}

// parseHead returns nothing if the head is one that no writer writes. It is asked before
// anything is allocated for the block.
func parseHead(b []byte) (head, bool) {
	length, unpacked := binary.LittleEndian.Uint32(b[1:]), binary.LittleEndian.Uint32(b[5:])
	if length > blockSize || unpacked > blockSize {
		return head{}, false
	}
	h := head{kind: kind(b[0]), length: int(length), unpacked: int(unpacked)}
	switch h.kind {
	case header, plain:
		return h, h.length == h.unpacked
	case packed:
		return h, h.length < h.unpacked
	case end:
		return h, h.length == endLength && h.unpacked == endLength
	default:
		return h, false
	}
}

// endLength is the length of the number in the last block.
const endLength = 8

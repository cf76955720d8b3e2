package memory

import "math/bits"

// Hash names something by two words. It means the same in the next process, and nobody else can guess it: two names that share one
// can't be made on purpose without the seed.
func (m *Memory) Hash(of byte, a, b string) uint64 {
	data := append(make([]byte, 0, 128), of)
	data = append(byteOrder.AppendUint32(data, uint32(len(a))), a...) //nolint:gosec // names are short
	return sipHash(byteOrder.Uint64(m.seed[:]), byteOrder.Uint64(m.seed[8:]), append(data, b...))
}

// sipHash is SipHash-2-4 of Aumasson and Bernstein. It is called several times for each call of a reconciler, and takes a
// tenth of the time of a hash for files.
func sipHash(k0, k1 uint64, data []byte) uint64 {
	s := sipState{
		k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d,
		k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573,
	}
	last := uint64(len(data)) << 56
	for ; len(data) >= 8; data = data[8:] {
		s.mix(byteOrder.Uint64(data))
	}
	for i, b := range data {
		last |= uint64(b) << (8 * i)
	}
	s.mix(last)
	s[2] ^= 0xff
	for range 4 {
		s.round()
	}
	return s[0] ^ s[1] ^ s[2] ^ s[3]
}

type sipState [4]uint64

func (s *sipState) mix(word uint64) {
	s[3] ^= word
	s.round()
	s.round()
	s[0] ^= word
}

func (s *sipState) round() {
	s[0] += s[1]
	s[2] += s[3]
	s[1] = bits.RotateLeft64(s[1], 13) ^ s[0]
	s[3] = bits.RotateLeft64(s[3], 16) ^ s[2]
	s[0] = bits.RotateLeft64(s[0], 32) + s[3]
	s[2] += s[1]
	s[1] = bits.RotateLeft64(s[1], 17) ^ s[2]
	s[3] = bits.RotateLeft64(s[3], 21) ^ s[0]
	s[2] = bits.RotateLeft64(s[2], 32)
}

package memory

import "testing"

// TestSipHash compares with what the authors have published: the key is the bytes 0 to 15, and the message of length n the
// bytes 0 to n-1.
func TestSipHash(t *testing.T) {
	var bytes [16]byte
	for i := range bytes {
		bytes[i] = byte(i)
	}
	k0, k1 := byteOrder.Uint64(bytes[:]), byteOrder.Uint64(bytes[8:])
	for n, want := range map[int]uint64{0: 0x726fdb47dd0e0e31, 1: 0x74f839c593dc67fd, 8: 0x93f5f5799a932462, 15: 0xa129ca6149be45e5} {
		if got := sipHash(k0, k1, bytes[:n]); got != want {
			t.Errorf("the hash of %d bytes is %#x, want %#x", n, got, want)
		}
	}
}

// TestHashTellsNamesApart sees that the border between the two words counts.
func TestHashTellsNamesApart(t *testing.T) {
	m := &Memory{}
	seen := map[uint64]string{}
	for name, hash := range map[string]uint64{"ab, c": m.Hash('o', "ab", "c"), "a, bc": m.Hash('o', "a", "bc"), "request ab, c": m.Hash('r', "ab", "c"), "empty": m.Hash('o', "", "")} {
		if other, known := seen[hash]; known {
			t.Errorf("%s and %s share a hash", name, other)
		}
		seen[hash] = name
	}
}

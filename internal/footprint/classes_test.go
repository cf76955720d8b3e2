package footprint

import "testing"

func TestClassesAreThoseOfTheAllocator(t *testing.T) {
	for size := tiny; size <= largest; size += 7 {
		if got, want := block(int64(size)), cap(append([]byte(nil), make([]byte, size)...)); got != int64(want) {
			t.Fatalf("an allocation of %d bytes is said to take %d, and takes %d", size, got, want)
		}
	}
}

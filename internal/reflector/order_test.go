package reflector

import (
	"math/big"
	"testing"
)

func TestOlder(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"9", "10", true},
		{"10", "9", false},
		{"10", "10", false},
		{"0010", "9", false},
		{"009", "0010", true},
		{"0", "00", false},
		{"0", "1", true},
		{"18446744073709551616", "18446744073709551617", true}, // beyond 64 bits
		{"", "1", false},
		{"1", "", false},
		{"9", "x10", false},
		{"-9", "10", false},
		{"9", "１０", false}, // other digits do not count
	} {
		if got := Older(tt.a, tt.b); got != tt.want {
			t.Errorf("Older(%q, %q) = %v", tt.a, tt.b, got)
		}
	}
}

// FuzzOlder compares with arithmetic.
func FuzzOlder(f *testing.F) {
	f.Add("9", "10")
	f.Add("0009", "10")
	f.Add("18446744073709551616", "x")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, okX := natural(a)
		y, okY := natural(b)
		want := okX && okY && x.Cmp(y) < 0
		if got := Older(a, b); got != want {
			t.Errorf("Older(%q, %q) = %v, want %v", a, b, got, want)
		}
	})
}

func natural(s string) (*big.Int, bool) {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return nil, false
		}
	}
	return new(big.Int).SetString(s, 10)
}

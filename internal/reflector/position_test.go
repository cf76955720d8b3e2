package reflector

import (
	"math/big"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/revision"
)

func TestPositionAsksFor(t *testing.T) {
	for _, tt := range []struct {
		at           position
		list, stream string
		exact        bool
	}{
		{position{}, "0", "", false},
		{position{version: "0"}, "0", "0", false},
		{position{version: "7"}, "7", "7", true},
		{position{version: "7", gone: true}, "", "", true},
		{position{gone: true}, "", "", false},
	} {
		if tt.at.listFrom() != tt.list || tt.at.streamFrom() != tt.stream || tt.at.exact() != tt.exact {
			t.Errorf("%+v lists from %q and streams from %q, exact %v; want %q, %q, %v",
				tt.at, tt.at.listFrom(), tt.at.streamFrom(), tt.at.exact(), tt.list, tt.stream, tt.exact)
		}
	}
}

func TestIsOlder(t *testing.T) {
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
		{"9", "１０", false}, // other digits are no digits
	} {
		if got := revision.Older(tt.a, tt.b); got != tt.want {
			t.Errorf("isOlder(%q, %q) = %v", tt.a, tt.b, got)
		}
	}
}

// FuzzIsOlder compares with arithmetic.
func FuzzIsOlder(f *testing.F) {
	f.Add("9", "10")
	f.Add("0009", "10")
	f.Add("18446744073709551616", "x")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, okX := natural(a)
		y, okY := natural(b)
		want := okX && okY && x.Cmp(y) < 0
		if got := revision.Older(a, b); got != want {
			t.Errorf("isOlder(%q, %q) = %v, want %v", a, b, got, want)
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

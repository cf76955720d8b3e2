package reflector

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

func TestBackoffGrowsToItsCap(t *testing.T) {
	b := backoff{Backoff: informer.Backoff{Initial: time.Second, Max: 5 * time.Second, Factor: 2, Reset: time.Minute}}
	now := time.Unix(0, 0)
	for i, want := range []string{"1s", "2s", "4s", "5s", "5s"} {
		if got := b.wait(now, 0.5).String(); got != want {
			t.Errorf("wait %d is %v, want %v", i, got, want)
		}
		now = now.Add(time.Minute)
	}
	if got := b.wait(now.Add(time.Nanosecond), 0); got != time.Second {
		t.Errorf("after more than Reset without a failure the wait is %v, want 1s", got)
	}
}

func TestBackoffNeverShrinks(t *testing.T) {
	b := backoff{Backoff: informer.Backoff{Initial: time.Minute, Max: time.Second, Factor: 0.1, Reset: time.Hour}}
	for range 3 {
		if got := b.wait(time.Unix(0, 0), 0); got != time.Minute {
			t.Errorf("wait is %v, want 1m", got)
		}
	}
}

func TestGrace(t *testing.T) {
	var g grace
	start := time.Unix(1000, 0)
	for _, tt := range []struct {
		after, window int // seconds
		want          bool
	}{
		{0, 0, false}, // never without a window
		{1, 30, true},
		{20, 30, true},
		{31, 30, true},
		{32, 30, false}, // 31 seconds after the first
		{33, 30, true},  // the window has begun again
		{93, 30, true},  // a minute without a failure is peace
		{123, 30, true},
		{124, 30, false},
	} {
		if got := g.retry(start.Add(seconds(tt.after)), seconds(tt.window)); got != tt.want {
			t.Errorf("failure after %ds, window %ds: retry is %v", tt.after, tt.window, got)
		}
	}
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

func TestBackoffBeyondCountingIsLong(t *testing.T) {
	const never = math.MaxInt64 * time.Nanosecond
	now := time.Unix(0, 0)
	b := backoff{Backoff: informer.Backoff{Initial: time.Second, Max: never, Factor: 1e300, Jitter: 1e300}}
	for range 3 {
		if wait := b.wait(now, 0.5); wait < time.Second {
			t.Errorf("waits for %v", wait)
		}
	}
}

// FuzzOlder compares with arithmetic.
func FuzzOlder(f *testing.F) {
	for _, pair := range [][2]string{
		{"9", "10"}, {"10", "9"}, {"10", "10"}, {"0010", "9"}, {"009", "0010"}, {"0009", "10"}, {"0", "00"}, {"0", "1"}, {"", "1"}, {"1", ""},
		{"18446744073709551616", "18446744073709551617"}, {"18446744073709551616", "x"}, // beyond 64 bits
		{"9", "x10"}, {"-9", "10"}, {"9", "１０"}, // other digits do not count
	} {
		f.Add(pair[0], pair[1])
	}
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

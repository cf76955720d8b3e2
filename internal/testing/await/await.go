// Package await waits for what a test can't be told of: because another process does it,
// or because it is spread over several.
//
//	Until(t, "the Site to be gone", gone)
//	      │
//	      ▼
//	    gone()? ── true ──▶ go on
//	      ▲ │
//	      │ false
//	      └─┴── Patience is over ──▶ Fatal "waited 2m0s for the Site to be gone"
//
// A test that can be told waits on a channel, with Receive. One that has its own clock
// uses testing/synctest. It is test support: only _test.go files import it.
//
// Conditions are called in the goroutine of the test, one after the other.
package await

import (
	"errors"
	"testing"
	"time"
)

// Patience is how long anything may take that needs no more than the machine's
// attention: a machine with two cores that runs other tests besides.
const Patience = 2 * time.Minute

const (
	pause  = 20 * time.Millisecond // at least, between two looks
	report = 10 * time.Second      // between two words on what is still wrong
)

var errNotYet = errors.New("not yet")

// Until looks again and again whether it is done.
func Until(t testing.TB, what string, done func() bool) {
	t.Helper()
	Success(t, what, func() error {
		if done() {
			return nil
		}
		return errNotYet
	})
}

// Success tries again and again until there is no error, and says the last one if there
// always is.
func Success(t testing.TB, what string, try func() error) {
	t.Helper()
	Within(t, Patience, what, try)
}

// Within is Success with a patience of the caller's own.
func Within(t testing.TB, patience time.Duration, what string, try func() error) {
	t.Helper()
	begin := time.Now()
	said := begin
	for {
		before := time.Now()
		err := try()
		now := time.Now()
		switch {
		case err == nil:
			return
		case now.Sub(begin) >= patience:
			t.Fatalf("waited %v for %s: %v", patience, what, err)
		case now.Sub(said) >= report:
			said = now
			t.Logf("%v for %s: %v", now.Sub(begin).Round(time.Second), what, err)
		}
		time.Sleep(max(pause, now.Sub(before))) // half of the time is left to what we wait for
	}
}

// Receive returns what comes out of a channel, or the zero value once it is closed.
func Receive[T any](t testing.TB, what string, from <-chan T) (received T) {
	t.Helper()
	select {
	case received = <-from:
	case <-time.After(Patience):
		t.Fatalf("waited %v for %s", Patience, what)
	}
	return received
}

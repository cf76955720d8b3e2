package delta

import (
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
)

// Waiting shows what the next call will be told, and takes nothing.
func TestWaiting(t *testing.T) {
	books := NewLedger[string](LedgerOptions{})
	clerk := books.Clerk()
	if got := clerk.Waiting("a"); got.Len() != 0 || got.Attempt() != 1 {
		t.Errorf("nothing was recorded, and %v waits", got)
	}
	now := time.Now()
	clerk.Record("a", Change{Cause: Primary, Op: Added, Key: Key{Name: "a"}, First: now, Last: now})
	clerk.Landed("a")
	for range 2 {
		if got := clerk.Waiting("a"); got.Len() != 1 || !got.Has(Primary) {
			t.Errorf("%v waits, want one change", got)
		}
	}
	if got := clerk.Take("a"); got.Len() != 1 {
		t.Errorf("told %v, want the change that waited", got)
	}
	if got := clerk.Waiting("a"); got.Len() != 0 {
		t.Errorf("%v waits, and the worker has it", got)
	}
	clerk.Settle("a", ledger.Failed)
	if at, known := books.LastSuccess("a"); known || !at.IsZero() {
		t.Errorf("it last succeeded at %v, and it never has", at)
	}
	if got := clerk.Waiting("a"); got.Len() != 1 || got.Attempt() != 2 {
		t.Errorf("%v waits for attempt %d, want the change once more, and 2", got, got.Attempt())
	}
}

// TestAChangeIsLateOnce has a call fail that is told a change. The next call is told it again, and how long it took is counted once.
func TestAChangeIsLateOnce(t *testing.T) {
	clerk := NewLedger[string](LedgerOptions{}).Clerk()
	clerk.Record("a", Change{Cause: Primary, Op: Added, Kind: example, Key: Key{Name: "a"}, First: time.Now(), Last: time.Now()})
	clerk.Landed("a")
	for _, want := range []int{1, 0, 0} {
		told, seen := clerk.Take("a"), 0
		clerk.Describe(told, func(_ uint16, at time.Time, _ bool) {
			if !at.IsZero() {
				seen++
			}
		})
		if !told.Has(Primary) || seen != want {
			t.Errorf("told %v, and %d are counted, want %d", told, seen, want)
		}
		clerk.Settle("a", ledger.Failed)
	}
}

// Each reason has a word, whatever details its text has.
func TestLacking(t *testing.T) {
	clerk := NewLedger[string](LedgerOptions{}).Clerk()
	for text, word := range lackings {
		if got := clerk.Lacking(NewChanges().Assume(Circumstances{Lacking: text})); got != word {
			t.Errorf("%q is %q, want %q", text, got, word)
		}
	}
	if got := clerk.Lacking(NewChanges()); got != "" {
		t.Errorf("complete changes lack %q", got)
	}
	if got := clerk.Lacking(Changes{}); got != "NotRecorded" {
		t.Errorf("the zero Changes lack %q", got)
	}
	if got := clerk.Lacking(NewChanges().Assume(Circumstances{Lacking: "a test says so"})); got != "Other" {
		t.Errorf("a reason of somebody else's is %q", got)
	}
	clerk.Blind("a source tells nothing: connection refused")
	if got := clerk.Lacking(clerk.Take("a")); got != "Blind" {
		t.Errorf("what a blind ledger tells lacks %q", got)
	}
}

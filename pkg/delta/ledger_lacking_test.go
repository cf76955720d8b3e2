package delta

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
)

var example = schema.GroupVersionKind{Version: "v1", Kind: "Example"}

// about is a change of an object that a request is not about.
func about(name string) Change {
	return Change{
		Cause: Mapped, Kind: example, Key: Key{Name: name}, Op: Added,
		New: &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name}}, First: time.Now(), Last: time.Now(),
	}
}

func recorded(l *Ledger[string], r string, c Change) {
	l.Record(r, c)
	l.Landed(r)
}

// If a change was left out while a worker had its request, that is said the next time,
// although nothing else is left of it.
func TestWhatIsLeftOutMeanwhileIsSaid(t *testing.T) {
	l := NewLedger[string](LedgerOptions{LedgerLimits: LedgerLimits{Changes: 1}})
	recorded(l, "a", about("x"))
	l.Take("a")
	recorded(l, "a", about("y")) // there is no room for it
	l.Settle("a", Succeeded)
	if c := l.Take("a"); c.Complete() {
		t.Errorf("after a change was left out the next are %s", c)
	}
	l.Settle("a", Succeeded)
	recorded(l, "a", about("z"))
	if c := l.Take("a"); !c.Complete() {
		t.Errorf("when that has been dealt with the next are %s", c)
	}
}

// A request that was forgotten may have had more than the beginning of its object.
func TestABirthIsNotAllThatMayBeLacking(t *testing.T) {
	l := NewLedger[string](LedgerOptions{LedgerLimits: LedgerLimits{Requests: 1}})
	recorded(l, "a", about("x"))
	l.Take("a")
	l.Settle("a", Failed)
	recorded(l, "b", about("x")) // there is room for it because a has failed
	l.Take("b")
	l.Settle("b", Succeeded)
	birth := about("a")
	birth.Cause = Primary
	recorded(l, "a", birth)
	if c := l.Take("a"); c.Complete() {
		t.Errorf("after what was known of a is gone, %s are said to be complete", c)
	}
}

// A request whose account had to go is in the queue, perhaps twice: it was to be tried again. The first
// call that follows deals with everything, and the ledger knows what the second comes from.
func TestARequestThatWasForgottenComesTwice(t *testing.T) {
	for _, way := range []string{"its account went", "it had no account"} {
		l := NewLedger[string](LedgerOptions{LedgerLimits: LedgerLimits{Requests: 1}})
		if way == "its account went" {
			recorded(l, "a", about("x"))
			l.Take("a")
			l.Settle("a", Failed)
			recorded(l, "b", about("x"))
		} else {
			recorded(l, "b", about("x"))
			recorded(l, "a", about("x"))
		}
		l.Take("b")
		l.Settle("b", Succeeded)
		recorded(l, "a", about("y"))
		if c := l.Take("a"); c.Complete() {
			t.Errorf("%s, and %s are said to be complete", way, c)
		}
		l.Settle("a", Succeeded)
		if c := l.Take("a"); !c.Complete() || !c.Has(Timer) {
			t.Errorf("%s, and the call after that is told %s", way, c)
		}
	}
}

// Whatever is recorded, a ledger holds no more than it may.
func TestALedgerKeepsToItsLimits(t *testing.T) {
	limits := LedgerLimits{PerRequest: 3, Changes: 10, Requests: 5, Remembered: 6}
	l := NewLedger[string](LedgerOptions{LedgerLimits: limits})
	for i := range 1000 {
		r := fmt.Sprint("r", i%17)
		recorded(l, r, about(fmt.Sprint("o", i%23)))
		if got := l.Take(r); got.Len() > limits.PerRequest+1 { // and why it is called
			t.Fatalf("told %s", got)
		}
		l.Settle(r, []Outcome{Succeeded, Failed, Unfinished}[i%3])
		if s := l.Status(); s.Requests > limits.Requests || s.Changes > limits.Changes || s.Remembered > limits.Remembered || s.Blind != "" {
			t.Fatalf("it holds %+v, and may hold %+v", s, limits)
		}
	}
	if l.Status().Overflows == 0 {
		t.Error("no limit was reached")
	}
}

// A handler that adds a request for the old state and again for the new one has not
// seen two changes.
func TestTheSameChangeAgainIsNoOther(t *testing.T) {
	for _, op := range []Op{Added, Updated, Deleted, Sync} {
		l := NewLedger[string](LedgerOptions{KindOf: func(Object) (schema.GroupVersionKind, error) { return example, nil }})
		c := about("x")
		c.Op, c.Kind = op, schema.GroupVersionKind{}
		if op != Added {
			c.Old = about("x").New
		}
		c = c.Once()
		recorded(l, "a", c)
		recorded(l, "a", c)
		for told := range l.Take("a").All() {
			if told.Deltas != 1 || told.Kind != example {
				t.Errorf("%s that was recorded twice is %s of %d deltas", op, told, told.Deltas)
			}
		}
		if n := l.Status().Changes; n != 1 {
			t.Errorf("%s that was recorded twice is %d changes", op, n)
		}
	}
}

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

package answers

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/queue"
	"github.com/delta-runtime/delta-runtime/pkg/queue/ctrlqueue"
)

// delayed has a queue and its ledger, as a controller has them.
type delayed struct {
	requests // for what nobody asks here

	queue  ctrlqueue.PriorityQueue[delta.Key]
	ledger *delta.Ledger[delta.Key]
}

func (d delayed) Cancel(of delta.Key) bool           { return d.queue.Cancel(of) }
func (d delayed) Waiting(of delta.Key) delta.Changes { return d.ledger.Clerk().Waiting(of) }

// TestCancelSaysWhatWaits cancels timers of requests that have changes in the ledger, and none. The
// next call is told as many as the answer says.
func TestCancelSaysWhatWaits(t *testing.T) {
	d := delayed{queue: ctrlqueue.New[delta.Key](""), ledger: delta.NewLedger[delta.Key](delta.LedgerOptions{})}
	defer d.queue.ShutDown()
	of := managed.New()
	defer of.Reconciles(&observe.Controller{
		Name: "site", Requests: d, Queue: func() (queue.Stats, bool) { return d.queue.Stats(), true },
	})()
	o, clerk := New(Options{Runtime: of}), d.ledger.Clerk()
	for n, rest := range []string{
		"", " That call is told the change that waits.", " That call is told the 2 changes that wait.",
	} {
		key := delta.Key{Namespace: "demo", Name: "blog-" + string(rune('0'+n))}
		for i := range n {
			clerk.Record(key, delta.Change{Cause: delta.Owned, Op: delta.Added, Key: delta.Key{Name: "owned-" + string(rune('0'+i))}})
			clerk.LandedLater(key)
		}
		d.queue.AddAfter(key, time.Hour)
		got, err := o.Cancel(t.Context(), inspector.Request{Controller: "site", Namespace: key.Namespace, Name: key.Name})
		if want := "The timer of site " + key.String() + " is cancelled. The next event of its object has it called." + rest; err != nil || got.Message != want {
			t.Errorf("the answer is %q, %v, want %q", got.Message, err, want)
		}
		if told := clerk.Take(key); told.Len() != n {
			t.Errorf("the next call is told %v, want %d changes", told, n)
		}
	}
}

// TestReconcilesThatAreAskedFor asks for calls by each of what can be asked.
func TestReconcilesThatAreAskedFor(t *testing.T) {
	o := New(Options{Runtime: managed.New()})
	for i, name := range []string{"a", "b", "c", "a"} {
		call := journal.Call{Request: delta.Key{Namespace: "team", Name: name}, Result: journal.Success, Took: time.Duration(10-i) * time.Second}
		if name == "b" {
			call.Result, call.Err = journal.Error, errors.New("no")
		}
		o.journal.Controller("x").Note(call)
	}
	o.journal.Controller("y").Note(journal.Call{Request: delta.Key{Namespace: "other", Name: "z"}, Result: journal.Requeue})
	for want, q := range map[string]inspector.ReconcileQuery{
		"z a c b a": {}, "a c b a": {Controller: "x"}, "z": {Namespace: "other"}, "a a": {Name: "a"}, "b": {Result: "error"}, "z ": {Result: "requeue"},
		"z a": {Limit: 2}, "a b": {Slowest: true, Limit: 2}, "a b c": {Namespace: "team", Slowest: true, Limit: 3},
	} {
		if q.Limit == 0 {
			q.Limit = 10
		}
		var names []string
		for _, r := range o.Reconciles(q).Items {
			names = append(names, r.Name)
		}
		if got := strings.Join(names, " "); got != strings.TrimSpace(want) {
			t.Errorf("%s are %q, want %q", fmt.Sprintf("%+v", q), got, want)
		}
	}
}

package answers

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/inspect/inspector"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

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

package journal

import (
	"errors"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// TestFailingIsBounded lets more requests fail than a journal remembers, with longer errors.
func TestFailingIsBounded(t *testing.T) {
	j := New(Limits{Calls: 1})
	calls, began := j.Controller("c"), time.Now()
	for round := range 3 {
		for i := range 1000 {
			calls.Note(Call{Request: delta.Key{Name: strconv.Itoa(i)}, Result: Error, Err: errors.New(strings.Repeat("x", 5000)), Began: began.Add(time.Duration(round) * time.Minute)})
		}
	}
	all := j.Failing()
	if len(all) != 200 {
		t.Fatalf("%d requests are known", len(all))
	}
	for _, f := range all {
		if f.Controller != "c" || f.Times != 3 || !f.Since.Equal(began) || len(f.Error) > 1<<10 || len(f.Error) < 1000 {
			t.Fatalf("known is %+v", f)
		}
		calls.Note(Call{Request: f.Request, Result: Success})
	}
	if all = j.Failing(); len(all) != 0 {
		t.Errorf("%d requests fail, and have succeeded", len(all))
	}
	calls.Note(Call{Request: delta.Key{Name: "new"}, Result: Panic})
	if all = j.Failing(); len(all) != 1 || all[0].Error != "it panicked" {
		t.Errorf("failing is %+v", all)
	}
}

// failing counts the failures of each request since it last did not fail, also those whose calls are gone.
func (s *script) failing() {
	type place struct {
		controller string
		request    delta.Key
	}
	want, got := map[place]int{}, map[place]int{}
	for _, r := range s.model.all {
		if c := r.call; c == nil {
			continue
		} else if at := (place{c.Controller, c.Request}); c.Result == Error || c.Result == Panic {
			want[at]++
		} else {
			delete(want, at)
		}
	}
	for _, f := range s.journal.Failing() {
		got[place{f.Controller, f.Request}] = f.Times
	}
	if !maps.Equal(got, want) {
		s.Errorf("failing are %v, want %v", got, want)
	}
}

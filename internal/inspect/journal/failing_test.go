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

// TestFailingIsBounded lets more requests fail than a journal remembers, with longer errors. Those that failed last are known.
func TestFailingIsBounded(t *testing.T) {
	j := New(Limits{Calls: 1})
	calls, began := j.Controller("c"), time.Now()
	for i := range 1000 {
		for round := range 3 {
			at := began.Add(time.Duration(i)*time.Minute + time.Duration(round)*time.Second)
			calls.Note(Call{Request: delta.Key{Name: strconv.Itoa(i)}, Result: Error, Err: errors.New("the task " + strings.Repeat("x…", 2000) + "x the cause"), Began: at})
		}
	}
	all := j.Failing()
	if len(all) != 100 {
		t.Fatalf("%d requests are known", len(all))
	}
	for _, f := range all {
		i, _ := strconv.Atoi(f.Request.Name)
		since := began.Add(time.Duration(i) * time.Minute)
		if f.Controller != "c" || i < 900 || f.Times != 3 || !f.Since.Equal(since) || !f.Last.Equal(since.Add(2*time.Second)) || len(f.Error) > 512 || len(f.Error) < 500 || !strings.HasSuffix(f.Error, "x the cause") || !strings.HasPrefix(f.Error, "the task x") {
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

// TestErrorsOfOneReasonAreTheSame has pairs of errors of two requests.
func TestErrorsOfOneReasonAreTheSame(t *testing.T) {
	of := func(name, text string) string {
		return failure(&Call{Request: delta.Key{Namespace: "demo", Name: name}, Result: Error, Err: errors.New(text)}).Same
	}
	for name, c := range map[string]struct {
		one, other string
		same       bool
	}{
		"names":       {`update Deployment demo/web: admission webhook "a.example.com" denied "web"`, `update Deployment demo/mall: admission webhook "a.example.com" denied "mall"`, true},
		"a UID":       {"precondition failed: 5f2c9a1e-0000-4c1d-9b0e-1d2c3b4a5f6e", "precondition failed: 77777777-0000-4c1d-9b0e-1d2c3b4a5f6e", true},
		"a child":     {`create Job "web-1": quota`, `create Job "mall-1": quota`, true},
		"ports":       {"read tcp 10.0.0.1:43210->10.0.0.2:443: reset", "read tcp 10.0.0.1:50000->10.0.0.2:443: reset", true},
		"webhooks":    {`failed calling webhook "vault.io": timeout`, `failed calling webhook "istio.io": timeout`, false},
		"answers":     {`unexpected answer "insufficient funds"`, `unexpected answer "unknown account"`, false},
		"steps":       {`step "create the webhook"`, `step "delete the webhook"`, false},
		"servers":     {"dial tcp 10.0.0.1:5432: refused", "dial tcp 10.0.0.1:6379: refused", false},
		"arrows":      {"phase Pending->Failed is not allowed", "phase Running->Failed is not allowed", false},
		"numbers":     {"exit status 1001", "exit status 2002", false},
		"words":       {"disk is added", "disk is dead", false},
		"long causes": {strings.Repeat("apply: ", 200) + "quota exceeded", strings.Repeat("apply: ", 200) + "certificate has expired", false},
		"codes":       {"the server answered 403", "the server answered 500", false},
		"reasons":     {"update Deployment demo/web: conflict", "update Deployment demo/mall: forbidden", false},
	} {
		if one, other := of("web", c.one), of("mall", c.other); one == other != c.same {
			t.Errorf("%s: %q and %q", name, one, other)
		}
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

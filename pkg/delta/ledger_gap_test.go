package delta_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// Something is missed, and a later change recorded, before a worker takes the request.
func TestWhatWasMissedBeforeAChangeCountsWithIt(t *testing.T) {
	for _, what := range []string{"missed", "listed again"} {
		l := knowing(delta.LedgerLimits{})
		var missed, lists uint64
		l.Gaps(func() uint64 { return missed })
		l.Relists(func() uint64 { return lists })
		if what == "missed" {
			missed++
		} else {
			lists++
		}
		deliver(l, l.NewStream(delta.ByKey), became(at(1, 1), at(3, 1)), "r")
		got := l.Take("r")
		if !got.Touches("spec.replicas") || got.Only(delta.Updated) {
			t.Errorf("%s before it was recorded: %s rules out that replicas changed in between", what, got)
		}
		l.Settle("r", delta.Failed)
		if got = l.Take("r"); got.Complete() != (what != "missed") || got.Only(delta.Updated) {
			t.Errorf("%s: at the retry it is forgotten: %s", what, got)
		}
		l.Settle("r", delta.Succeeded)
		record(l, "r", became(at(3, 1), at(4, 2)))
		if got = l.Take("r"); !got.Complete() || got.Touches("status") {
			t.Errorf("%s: after a success %s", what, got)
		}
	}
}

// A change that was missed while a request waited for its retry is told with the retry.
func TestAGapAfterAFailureIsTold(t *testing.T) {
	l := knowing(delta.LedgerLimits{})
	missed := uint64(0)
	l.Gaps(func() uint64 { return missed })
	for _, complete := range []bool{true, false} {
		record(l, "r", became(at(1, 1), at(2, 2)))
		if got := l.Take("r"); got.Complete() != complete {
			t.Errorf("after %d gaps the call is told %s", missed, got)
		}
		l.Settle("r", delta.Failed)
		missed++
	}
}

// A request that a raw source adds for later may come when it has been told with an earlier
// call. The call that it asked for is for something that nobody knows, too.
func TestACallThatARawSourceAskedForIsNoMereTimer(t *testing.T) {
	l := knowing(delta.LedgerLimits{})
	l.Record("r", delta.Change{Cause: delta.External})
	l.LandedLater("r")
	record(l, "r", became(at(1, 1), at(2, 2)))
	causes := func() (all []delta.Cause) {
		for c := range l.Take("r").All() {
			all = append(all, c.Cause)
		}
		l.Settle("r", delta.Succeeded)
		return all
	}
	for _, want := range [][]delta.Cause{{delta.External, delta.Owned}, {delta.Timer, delta.External}} {
		if got := causes(); !slices.Equal(got, want) {
			t.Errorf("told %s, want %s", got, want)
		}
	}
	l.Record("r", became(at(2, 2), at(3, 3)))
	l.LandedLater("r")
	for _, want := range [][]delta.Cause{{delta.Owned}, {delta.Timer}} {
		if got := causes(); !slices.Equal(got, want) {
			t.Errorf("what a handler added for later: told %s, want %s", got, want)
		}
	}
}

// Nothing has been done yet for an object that was just created, so a question that leaves its creation out is not
// answered with "nothing to do". And an earlier process may have worked for another object of its name.
func TestNothingIsRuledOutBeforeTheFirstSuccess(t *testing.T) {
	l := delta.NewLedger[string](delta.LedgerOptions{})
	begun := became(nil, at(1, 1))
	begun.Op, begun.Cause = delta.Added, delta.Primary
	ask := func() (whole, ofOthers, byOwner, step bool) {
		told := l.Take("r")
		_ = delta.Plan(delta.NewContext(t.Context(), told)).On(&corev1.Secret{}).Do("step", func(context.Context) error { step = true; return nil })
		return told.Complete(), told.Of(&corev1.Secret{}).Touches("data"), told.By(delta.Owned).Touches("data"), step
	}
	record(l, "r", begun)
	for _, how := range []delta.Outcome{delta.Unfinished, delta.Succeeded} {
		if whole, ofOthers, byOwner, step := ask(); whole || !ofOthers || !byOwner || !step {
			t.Errorf("newborn, before it is %v: complete %t, touched %t and %t, the step ran: %t", how, whole, ofOthers, byOwner, step)
		}
		l.Settle("r", how)
	}
	update := became(at(1, 1), at(2, 2))
	update.Cause = delta.Primary
	record(l, "r", update)
	if whole, ofOthers, byOwner, step := ask(); !whole || ofOthers || byOwner || step {
		t.Errorf("updated, after a success: complete %t, touched %t and %t, the step ran: %t", whole, ofOthers, byOwner, step)
	}
}

// No request is completely known before its first success, and before the first one after changes were missed.
func TestARequestIsCompletelyKnownOnceItSucceeded(t *testing.T) {
	var gaps uint64
	l := delta.NewLedger[string](delta.LedgerOptions{})
	l.Gaps(func() uint64 { return gaps })
	begun := became(nil, at(1, 1))
	begun.Op, begun.Cause = delta.Added, delta.Primary
	for _, missed := range []string{"", "changes may have been missed"} {
		for _, r := range []string{"before", "another"} {
			for call, want := range []bool{false, true} {
				record(l, r, begun)
				told := l.Take(r)
				if told.Complete() != want || !want && !strings.Contains(told.Incomplete(), missed) {
					t.Errorf("%q, call %d (%q): complete %t: %s", r, call, missed, told.Complete(), told.Incomplete())
				}
				l.Settle(r, delta.Succeeded)
			}
		}
		gaps++ // a handler panicked at something that a request would have been made for
	}
}

func kindOf(obj delta.Object) (schema.GroupVersionKind, error) {
	return apiutil.GVKForObject(obj, scheme.Scheme)
}

// listing returns a ledger that learns from its sources which kinds are watched.
func listing() *delta.Ledger[string] {
	l := delta.NewLedger[string](delta.LedgerOptions{
		KindOf: kindOf,
	})
	l.Listed(delta.Change{New: &appsv1.Deployment{}})
	return l
}

// A source lists a kind while a reconciler is at work. The call took its changes before the list,
// so for this call nobody watches the kind.
func TestAKindIsWatchedForTheCallsAfterItsList(t *testing.T) {
	l := listing()
	expect := func(when string, told delta.Changes, watched bool) {
		t.Helper()
		if got := told.Of(&corev1.Secret{}).Complete(); got != watched {
			t.Errorf("%s: Secrets count as watched: %t", when, got)
		}
		if got := told.Touches("stringData"); got == watched { // which no Deployment has
			t.Errorf("%s: a path of Secrets is touched: %t", when, got)
		}
		if !told.Of(&appsv1.Deployment{}).Complete() {
			t.Errorf("%s: Deployments don't count as watched", when)
		}
	}
	var told delta.Changes
	for n := range 2 {
		record(l, "r", became(at(n+1, 1), at(n+2, 2)))
		told = l.Take("r")
		if n == 0 {
			l.Settle("r", delta.Succeeded)
		}
	}
	expect("before the list", told, false)
	l.Listed(delta.Change{New: &corev1.Secret{}})
	expect("in a call that has begun before the list", told, false)
	for n := range 2 {
		l.Settle("r", delta.Succeeded)
		record(l, "r", became(at(n+3, 1), at(n+4, 2)))
		told = l.Take("r")
	}
	expect("after the list", told, true)
}

// Nobody knows what happened before a list, so it is a gap: also the list of one more source of a
// kind, and also one during a call. Before the first call no request is known anyway.
func TestAListThatComesAfterTheFirstCallIsAGap(t *testing.T) {
	l := listing()
	list := func() { l.Listed(delta.Change{New: &appsv1.Deployment{}}) }
	list()
	for n, tt := range []struct {
		before, during func()
		complete       bool
	}{
		{},
		{complete: true},
		{before: list},
		{complete: true, during: list},
		{},
		{complete: true},
	} {
		record(l, "r", became(at(n+1, 1), at(n+2, 1)))
		if tt.before != nil {
			tt.before()
		}
		told := l.Take("r")
		if n == 0 && l.Status().Gaps != 0 {
			t.Errorf("before the first call there are %d gaps", l.Status().Gaps)
		}
		if told.Complete() != tt.complete {
			t.Errorf("call %d is told %s, want complete %t", n, told, tt.complete)
		}
		if tt.during != nil {
			tt.during()
		}
		l.Settle("r", delta.Succeeded)
	}
}

// TestEachArrivalIsExplained has a request reach its reconciler as often as a queue may have it when its account is closed: it waits
// there, was added once more meanwhile, and has a timer. Nobody but our own sources has added it, so no call may be told otherwise.
func TestEachArrivalIsExplained(t *testing.T) {
	for how, of := range map[string]struct {
		closed func(clerk *clerkOf)
		more   int // arrivals
	}{
		"it succeeds with a timer, and has been added once more": {func(clerk *clerkOf) {
			clerk.add("a")
			clerk.add("a")
			clerk.Take("a")
			clerk.Settle("a", ledger.SucceededWithTimer)
		}, 2},
		"it fails, and goes for the sake of another": {func(clerk *clerkOf) {
			clerk.add("a")
			clerk.Take("a")
			clerk.Settle("a", ledger.Failed)
			clerk.add("b")
		}, 3},
		"there is no room for it": {func(clerk *clerkOf) {
			clerk.add("b")
			clerk.Take("b")
			clerk.add("a")
			clerk.Settle("b", ledger.Succeeded)
		}, 3},
	} {
		t.Run(how, func(t *testing.T) {
			l := delta.NewLedger[string](delta.LedgerOptions{LedgerLimits: delta.LedgerLimits{Requests: 1}})
			clerk := &clerkOf{l.Clerk()}
			of.closed(clerk)
			clerk.Take("b")
			clerk.Settle("b", ledger.Succeeded)
			for n := range of.more {
				told := clerk.Take("a")
				if why := told.Incomplete(); n > 0 && why != "" || !told.Has(delta.Timer) {
					t.Errorf("arrival %d is told %v, which is incomplete because %q", n+1, told, why)
				}
				clerk.Settle("a", ledger.Succeeded)
			}
		})
	}
}

type clerkOf struct {
	ledger.Clerk[string, delta.Change, delta.Cause, delta.Changes]
}

func (c *clerkOf) add(r string) {
	c.Record(r, delta.Change{Cause: delta.External})
	c.Landed(r)
}

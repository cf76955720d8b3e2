package delta_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

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

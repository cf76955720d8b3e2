package source_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/source"
)

func asked(name string) request {
	return request{NamespacedName: namespacedName(name)}
}

// startedWith is the queue that a source is started with by Recorded.
func startedWith(t *testing.T, q queue, ledger *delta.Ledger[request]) queue {
	t.Helper()
	var got queue
	s := source.Recorded(ctrlsource.TypedFunc[request](func(_ context.Context, q queue) error {
		got = q
		return nil
	}), ledger)
	started(t, t.Context(), s, q)
	if err := s.WaitForSync(t.Context()); err != nil {
		t.Errorf("a source that needs no waiting for: %v", err)
	}
	return got
}

// TestRecordedTwiceIsRecordedOnce nests what records.
func TestRecordedTwiceIsRecordedOnce(t *testing.T) {
	ledger := delta.NewLedger[request](delta.LedgerOptions{})
	var got queue
	inner := ctrlsource.TypedFunc[request](func(_ context.Context, q queue) error { got = q; return nil })
	started(t, t.Context(), source.Recorded(source.Recorded(inner, ledger), ledger), newQueue(t))
	got.Add(asked("a"))
	for c := range ledger.Clerk().Take(asked("a")).All() {
		if c.Deltas != 1 {
			t.Errorf("one add was recorded %d times", c.Deltas)
		}
	}
	q := newQueue(t)
	if with := startedWith(t, q, nil); with != q {
		t.Error("without a ledger it is started with another queue")
	}
}

// TestAnyOtherSourceIsExternal looks at the source that is controller-runtime's own Kind,
// and at what it is called.
func TestAnyOtherSourceIsExternal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pods := newFakeInformer()
		ledger := delta.NewLedger[request](delta.LedgerOptions{})
		theirs := ctrlsource.Kind(holding(pods), &podObject{}, &handler.TypedEnqueueRequestForObject[*podObject]{})
		s := source.Recorded(theirs, ledger)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[request]())
		defer q.ShutDown()
		syncedIn(t, ctx, s, q)
		pods.Add(pod("web", "1"))
		if got := ledger.Clerk().Take(asked("web")); got.String() != "External (incomplete: no success with the request is known since the process started)" {
			t.Errorf("the ledger has %s", got)
		}
		if got, want := fmt.Sprint(s), fmt.Sprint(theirs); got != want {
			t.Errorf("it calls itself %q, want %q", got, want)
		}
		if got := fmt.Sprint(source.Recorded(nameless{}, ledger)); got != "source_test.nameless" {
			t.Errorf("a source without a name is called %q", got)
		}
	})
}

type nameless struct{}

func (nameless) Start(context.Context, queue) error { return nil }

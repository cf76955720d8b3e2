package source_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	corev1 "k8s.io/api/core/v1"

	"github.com/delta-runtime/delta-runtime/internal/observe"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// A cache that has stopped makes no informer any more. A source asks it once.
func TestACacheThatHasStoppedIsNotAskedAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, server api, _ func(func(context.Context))) {
		asked := 0
		ledger := delta.NewLedger[request](delta.LedgerOptions{})
		k := ledgered(&flaky{Cache: holding(newInformer(server)), before: func(context.Context) error {
			asked++
			return observe.ErrCacheStopped
		}}, ledger, forPods())
		started(t, t.Context(), k, newQueue(t))
		time.Sleep(time.Hour)
		synctest.Wait()
		if err := k.WaitForSync(t.Context()); err == nil || !strings.Contains(err.Error(), "the cache has stopped") || asked != 1 {
			t.Errorf("it has asked %d times: %v", asked, err)
		}
		if why := ledger.Status().Blind; why != "" {
			t.Errorf("the ledger knows nothing any more: %s", why)
		}
	})
}

// A source is stopped before its first list. That says nothing of the others of its ledger.
func TestASourceThatIsStoppedEarlyBlindsNobody(t *testing.T) {
	inBubble(t, func(t *testing.T, server api, _ func(func(context.Context))) {
		ledger := delta.NewLedger[request](delta.LedgerOptions{})
		ctx, stop := context.WithCancel(t.Context())
		started(t, ctx, ledgered(holding(newInformer(server)), ledger, forPods()), newQueue(t))
		time.Sleep(time.Minute)
		stop()
		time.Sleep(time.Minute)
		if why := ledger.Status().Blind; why != "" {
			t.Errorf("the ledger knows nothing any more: %s", why)
		}
	})
}

// keptObject runs a source and its informer until both end, and returns an object that the informer had.
func keptObject(t *testing.T, ledger *delta.Ledger[request]) (of weak.Pointer[corev1.Pod]) {
	t.Helper()
	inBubble(t, func(t *testing.T, server api, run func(func(context.Context))) {
		ctx, stop := context.WithCancel(t.Context())
		i := newInformer(server)
		server.Add(pod("web", "1"))
		run(func(context.Context) { i.RunWithContext(ctx) })
		k := ledgered(holding(i), ledger, forPods())
		started(t, ctx, k, newQueue(t))
		if err := k.WaitForSync(ctx); err != nil {
			t.Fatal(err)
		}
		of = weak.Make(i.GetStore().List()[0].(*corev1.Pod))
		told(ledger, "web")
		stop()
		synctest.Wait()
	})
	return of
}

// A controller goes on without one of its sources. Nothing holds on to what that source's cache had.
func TestASourceThatHasEndedKeepsNoObjects(t *testing.T) {
	ledger := delta.NewLedger[request](delta.LedgerOptions{})
	of := keptObject(t, ledger)
	for range 3 {
		runtime.GC()
	}
	if of.Value() != nil {
		t.Error("an object is kept")
	}
	runtime.KeepAlive(ledger)
}

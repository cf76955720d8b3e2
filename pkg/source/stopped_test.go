package source_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/observe"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// A cache that has stopped makes no informer any more. A source asks it once.
func TestACacheThatHasStoppedIsNotAskedAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, server api, _ func(func(context.Context))) {
		asked := 0
		k := ledgered(&flaky{Cache: holding(newInformer(server)), before: func(context.Context) error {
			asked++
			return observe.ErrCacheStopped
		}}, nil, forPods())
		started(t, t.Context(), k, newQueue(t))
		time.Sleep(time.Hour)
		synctest.Wait()
		if err := k.WaitForSync(t.Context()); err == nil || !strings.Contains(err.Error(), "the cache has stopped") || asked != 1 {
			t.Errorf("it has asked %d times: %v", asked, err)
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

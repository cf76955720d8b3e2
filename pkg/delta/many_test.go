package delta

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/ledger"
)

// quickly fails if something takes the time that only grows with the square of what there is.
func quickly(t *testing.T, what string, do func()) {
	t.Helper()
	began := time.Now()
	do()
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("%s took %v", what, took)
	}
}

// A request may be about very many objects, and each of them may have several changes that do not fold.
func TestManyObjectsOfOneRequest(t *testing.T) {
	const objects = 50_000
	l := NewLedger[string](LedgerOptions{LedgerLimits: LedgerLimits{PerRequest: objects, Changes: 10 * objects}, SkipOnResync: true})
	l.Take("r")
	l.Settle("r", ledger.Succeeded)
	shown := metaOnly("u", "7", nil)
	change := func(i int) Change {
		return Change{Cause: Resync, Op: Sync, Kind: example, Key: Key{Name: fmt.Sprintf("an-object-of-very-many-%06d", i)}, Old: shown, New: shown}
	}
	quickly(t, "to record", func() {
		for i := range objects {
			recorded(l, "r", change(i))
		}
	})
	ctx, call := l.Begin(t.Context(), "r")
	told := From(ctx)
	quickly(t, "to ask", func() {
		if told.Len() != objects || !told.Complete() || told.Touches("metadata.labels") || told.Of(shown).Touches("metadata.labels") {
			t.Errorf("told of %d objects, complete %t, and their labels are touched", told.Len(), told.Complete())
		}
		err := Plan(ctx).OnCause(Primary).On(shown).NotOnResync().Do("step", func(context.Context) error { return nil })
		if err != nil {
			t.Error(err)
		}
	})
	call.End(ledger.Failed)
	quickly(t, "to leave out", func() {
		for i := range objects {
			recorded(l, "r", change(objects+i))
		}
	})
	if told := l.Take("r"); told.Len() != objects+1 || told.Complete() {
		t.Errorf("after too many there are %d, complete %t", told.Len(), told.Complete())
	}
}

// One event may lead to very many requests.
func TestManyRequestsOfOneEvent(t *testing.T) {
	const requests = 500_000
	s := NewLedger[int](LedgerOptions{LedgerLimits: LedgerLimits{Requests: 1}}).Clerk().NewStream(false)
	quickly(t, "to record", func() {
		for range 2 {
			d := s.Begin(Change{Cause: Mapped, Op: Updated, Kind: example, Key: Key{Name: "x"}, Old: metaOnly("u", "1", nil), New: metaOnly("u", "2", nil)})
			for r := range requests {
				d.Record(r)
			}
			d.End()
		}
	})
}

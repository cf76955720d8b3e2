package metrics

import (
	"strings"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/testing/scrape"
)

// TestNoCounterFalls has one of two controllers of the same name end between two scrapes, and start
// again.
func TestNoCounterFalls(t *testing.T) {
	all := twoControllers()
	run := all
	c, registry := collecting(t)
	c.controllers = func() []*observe.Controller { return run }
	both := scrape.Read(t, registry, "delta_")
	for name, now := range map[string][]*observe.Controller{"the second": all[1:], "both": all, "the first": all[:1]} {
		run = now
		got := scrape.Read(t, registry, "delta_")
		for series, before := range both {
			isCounter := strings.Contains(series, "_total{") || strings.Contains(series, "delta_event_to_reconcile_seconds")
			if value, there := got[series]; isCounter && (value < before || !there) {
				t.Errorf("while %s is there, %s is %v, and was %v", name, series, value, before)
			}
		}
		if requests := got[`delta_ledger_requests{controller="same"}`]; requests != float64(len(now)) {
			t.Errorf("while %s is there, the ledgers have %v requests, want %d", name, requests, len(now))
		}
	}
}

// TestWhatIsGoneStaysInTheSum has a controller end, and another count on.
func TestWhatIsGoneStaysInTheSum(t *testing.T) {
	all := twoControllers()
	c, registry := collecting(t)
	const series, histogram = `delta_reconcile_changes_total{controller="same"}`, `delta_event_to_reconcile_seconds_count{controller="same"}`
	for n, step := range []struct {
		run  []*observe.Controller
		want float64
	}{
		{run: all, want: 2},
		{run: all[1:], want: 2},
		{run: all[1:], want: 2},
		{run: append(twoControllers(), all[1]), want: 4},
		{run: all[:1], want: 4},
		{run: nil},
		{run: all[:1], want: 1}, // the series was gone, so nothing remembers
	} {
		c.controllers = func() []*observe.Controller { return step.run }
		got := scrape.Read(t, registry, "delta_")
		if got[series] != step.want || got[histogram] != step.want {
			t.Errorf("step %d has %v changes and %v latencies, want %v", n, got[series], got[histogram], step.want)
		}
	}
	c.controllers = func() []*observe.Controller { return nil }
	if scrape.Read(t, registry, "delta_"); len(c.past) != 0 {
		t.Errorf("%d series are remembered, and there are none", len(c.past))
	}
}

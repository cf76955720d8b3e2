package metrics

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/testing/scrape"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

var update = flag.Bool("update", false, "write the table of metrics to docs/metrics.md")

const page = "../../../docs/metrics.md"

// TestThePageHasEveryMetric compares the table on the page with families.
func TestThePageHasEveryMetric(t *testing.T) {
	const begin, end = "<!-- metrics -->\n", "<!-- end of metrics -->\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), begin)
	now, after, found := strings.Cut(rest, end)
	if !found {
		t.Fatalf("%s has no table between %q and %q", page, begin, end)
	}
	want := table()
	if *update {
		if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if now != want {
		t.Errorf("%s has\n%s\nwant, see -update,\n%s", page, now, want)
	}
}

func table() string {
	var b strings.Builder
	b.WriteString("| metric | type | labels | meaning |\n|---|---|---|---|\n")
	for _, f := range slices.Concat(families, clientGos) {
		kind := "gauge"
		switch {
		case f.buckets != nil:
			kind = "histogram"
		case f.kind == prometheus.CounterValue:
			kind = "counter"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", f.name, kind, strings.Join(f.labels, ", "), f.help)
	}
	return b.String()
}

// twoControllers returns two of the same name, as a process may have, with odd names of steps.
func twoControllers() []*observe.Controller {
	clerk := delta.NewLedger[string](delta.LedgerOptions{}).Clerk()
	var all []*observe.Controller
	for n := range 2 {
		calls := &observe.Calls{}
		now := time.Now()
		calls.Note(clerk, observe.Call{Told: delta.NewChanges(delta.Change{Cause: delta.Primary, First: now.Add(-time.Second)}), Began: now, Came: journal.Success})
		calls.Note(clerk, observe.Call{Told: delta.Changes{}, Began: now, Came: journal.Error})
		all = append(all, &observe.Controller{
			Name: "same", Calls: calls,
			Ledger:   func() delta.LedgerStatus { return delta.LedgerStatus{Requests: 1} },
			Steps:    func() []delta.StepStatus { return []delta.StepStatus{{Name: "odd \xff \"name\"\n", Done: 3}} },
			HeldBack: func() uint64 { return 1 },
			Queue: func() (queue.Stats, bool) {
				return queue.Stats{Waiting: 2, OldestQueued: time.Duration(1+n) * time.Second}, true
			},
		})
	}
	return all
}

// collecting returns a collector of no cache, and a registry that has it alone.
func collecting(t *testing.T) (*collector, *prometheus.Registry) {
	t.Helper()
	c, registry := newCollector(), prometheus.NewPedanticRegistry()
	c.caches = func() []observe.Cache { return nil }
	if err := registry.Register(c); err != nil {
		t.Fatal(err)
	}
	return c, registry
}

// TestSeriesOfTheSameLabelsAreOne scrapes two controllers of the same name, and asks
// client_golang's linter what it thinks.
func TestSeriesOfTheSameLabelsAreOne(t *testing.T) {
	c, registry := collecting(t)
	c.controllers = twoControllers
	got := scrape.Read(t, registry, "delta_")
	for series, want := range map[string]float64{
		`delta_reconcile_causes_total{cause="Primary",controller="same"}`:                            2,
		`delta_event_to_reconcile_seconds_sum{controller="same"}`:                                    2,
		`delta_event_to_reconcile_seconds_bucket{controller="same",le="0.1"}`:                        0,
		`delta_event_to_reconcile_seconds_bucket{controller="same",le="1"}`:                          2,
		`delta_reconcile_incomplete_total{controller="same",reason="NotRecorded"}`:                   2,
		`delta_queue_delayed_requests{controller="same"}`:                                            4,
		`delta_queue_oldest_seconds{controller="same"}`:                                              2,
		`delta_events_held_back_total{controller="same"}`:                                            2,
		"delta_steps_total{controller=\"same\",result=\"done\",step=\"odd \uFFFD \\\"name\\\"\\n\"}": 6,
	} {
		if value, there := got[series]; value != want || !there {
			t.Errorf("%s is %v, want %v", series, value, want)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
	lint(t, registry)
}

func lint(t *testing.T, from prometheus.Gatherer) {
	t.Helper()
	all, err := from.Gather()
	if err != nil {
		t.Fatal(err)
	}
	problems, err := promlint.NewWithMetricFamilies(all).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

package metrics

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	about "github.com/delta-runtime/delta-runtime/internal/api/objects"
	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/managed"
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

// idle is a cache with an informer that does not run.
type idle struct {
	observe.Resyncer // none: nothing is asked of it
	informer         *engine.Informer[any]
}

func (*idle) Record(*journal.Journal)  {}
func (*idle) Gaps() uint64             { return 0 }
func (*idle) Unmade() []observe.Unmade { return nil }

func (c *idle) Kinds() []observe.Kind {
	gvk := corev1.SchemeGroupVersion.WithKind("Pod")
	return []observe.Kind{{GVK: gvk, Name: "v1 Pod", Example: &corev1.Pod{}, Informer: c.informer, Weigh: func(time.Time) uint64 { return 0 }}}
}

// aCache shows a cache until the test ends.
func aCache(t *testing.T) {
	t.Helper()
	c := &idle{informer: engine.New[any](listwatch.ListWatcher[any](nil), engine.Options[any]{Name: "v1 Pod", Traits: about.Traits})}
	t.Cleanup(managed.New().Runs(c))
}

// serve returns what /metrics answers, which has to be 200. controller-runtime answers 500 where a
// metric contradicts another.
func serve(t *testing.T, registry *prometheus.Registry) string {
	t.Helper()
	return strings.Join(scrape.Lines(t, registry, ""), "")
}

// others returns the metrics that somebody else has under a name of client-go's: with another help,
// with other labels, of another type, and the very same.
func others() map[string]prometheus.Collector {
	gauge := func(help string, labels ...string) prometheus.Collector {
		g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: queuedItems.name, Help: help}, labels)
		g.WithLabelValues(make([]string, len(labels))...).Set(77)
		return g
	}
	counter := prometheus.NewCounterVec(prometheus.CounterOpts{Name: queuedItems.name, Help: queuedItems.help}, ofInformer)
	counter.WithLabelValues("", "", "", "").Add(77)
	return map[string]prometheus.Collector{
		"another help": gauge("[ALPHA] Something else.", ofInformer...),
		"other labels": gauge(queuedItems.help, "informer"),
		"another type": counter,
		"the same":     gauge(queuedItems.help, ofInformer...),
	}
}

const ourItems = `informer_queued_items{group="",name="delta-runtime",resource="pods",version="v1"} 0`

// TestANameThatIsTakenIsLeftOut has somebody register one of client-go's names before us.
func TestANameThatIsTakenIsLeftOut(t *testing.T) {
	aCache(t)
	for name, other := range others() {
		t.Run(name, func(t *testing.T) {
			registry := prometheus.NewRegistry()
			registry.MustRegister(other)
			var lines []string
			if err := register(registry, funcr.New(func(_, args string) { lines = append(lines, args) }, funcr.Options{})); err != nil {
				t.Fatal(err)
			}
			got := serve(t, registry)
			if !strings.Contains(got, "} 77\n") || strings.Contains(got, ourItems) {
				t.Errorf("the other's metric is replaced or added to:\n%s", got)
			}
			for _, f := range []*family{synced, processing} {
				if !strings.Contains(got, "# TYPE "+f.name+" ") {
					t.Errorf("%s is not served", f.name)
				}
			}
			if len(lines) != 1 || !strings.Contains(lines[0], queuedItems.name) {
				t.Errorf("logged %q, want one line with %s", lines, queuedItems.name)
			}
		})
	}
}

// TestWhoComesLaterIsRefused has somebody register one of client-go's names after us.
func TestWhoComesLaterIsRefused(t *testing.T) {
	aCache(t)
	for name, other := range others() {
		t.Run(name, func(t *testing.T) {
			registry := prometheus.NewRegistry()
			if err := register(registry, logr.Discard()); err != nil {
				t.Fatal(err)
			}
			if err := registry.Register(other); err == nil {
				t.Error("nobody has told the other that the name is taken")
			}
			if got := serve(t, registry); !strings.Contains(got, ourItems) || strings.Contains(got, "} 77\n") {
				t.Errorf("/metrics has not ours alone:\n%s", got)
			}
		})
	}
}

// TestNamesOfOursThatAreTaken has somebody register one of our own names before us.
func TestNamesOfOursThatAreTaken(t *testing.T) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(prometheus.NewGauge(prometheus.GaugeOpts{Name: synced.name, Help: "Something else."}))
	if err := register(registry, logr.Discard()); err == nil || !strings.Contains(err.Error(), synced.name) {
		t.Errorf("register: %v, want an error that names %s", err, synced.name)
	}
}

// TestMetricsThatAreRefusedAreLogged registers after the registration has failed: each cache and controller says it.
func TestMetricsThatAreRefusedAreLogged(t *testing.T) {
	Register(logr.Discard())
	before := registered.err
	defer func() { registered.err = before }()
	registered.err = errors.New("taken")
	var lines []string
	for range 2 {
		Register(funcr.New(func(_, args string) { lines = append(lines, args) }, funcr.Options{}))
	}
	if len(lines) != 2 || !strings.Contains(lines[1], "no metrics") || !strings.Contains(lines[1], "taken") {
		t.Errorf("the log says %q", lines)
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

package metrics

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	about "github.com/delta-runtime/delta-runtime/internal/api/objects"
	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/internal/inspect/journal"
	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/internal/managed"
	"github.com/delta-runtime/delta-runtime/internal/testing/scrape"
)

// idle is a cache with an informer that does not run.
type idle struct {
	observe.Resyncer // none: nothing is asked of it
	informer         *engine.Informer[any]
}

func (*idle) Record(*journal.Journal) {}
func (*idle) Gaps() uint64            { return 0 }

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

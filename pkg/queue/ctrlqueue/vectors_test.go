package ctrlqueue

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/delta-runtime/delta-runtime/internal/testing/scrape"
)

// series reads the metrics of one queue from controller-runtime's registry. Of a histogram it
// takes the count only, because the sums are times.
func series(t *testing.T, name string) map[string]float64 {
	t.Helper()
	out := map[string]float64{}
	for key, v := range scrape.Read(t, metrics.Registry, "workqueue_") {
		metric, labels, _ := strings.Cut(strings.TrimPrefix(key, "workqueue_"), "{")
		if rest, ours := strings.CutPrefix(labels, fmt.Sprintf("controller=%q,name=%[1]q", name)); ours && !strings.HasSuffix(metric, "_sum") && !strings.HasSuffix(metric, "_bucket") {
			out[metric+rest] = v
		}
	}
	return out
}

var runs atomic.Int32

// After the same calls, our queue and controller-runtime's have the same metrics in its registry.
func TestSameSeriesAsControllerRuntime(t *testing.T) {
	use := func(q workqueue.TypedRateLimitingInterface[string]) {
		q.AddRateLimited("a")
		q.Add("b")
		for range 2 {
			key, _ := q.Get()
			q.Done(key)
		}
		q.Add("stays")
		_ = q.Len() // controller-runtime's queue adds in the background until a caller asks for its length
	}
	// The registry outlives the test, which may run again.
	run := runs.Add(1)
	named := func(name string) string { return fmt.Sprint(name, "-", run) }
	ours, theirs := New[string](named("pq-ours")), priorityqueue.New[string](named("pq-theirs"))
	defer ours.ShutDown()
	defer theirs.ShutDown()
	ourWorkqueue := NewTypedRateLimitingQueueWithConfig(workqueue.DefaultTypedItemBasedRateLimiter[string](), TypedRateLimitingQueueConfig[string]{Name: named("wq-ours")})
	theirWorkqueue := workqueue.NewTypedRateLimitingQueueWithConfig(workqueue.DefaultTypedItemBasedRateLimiter[string](), workqueue.TypedRateLimitingQueueConfig[string]{Name: named("wq-theirs")})
	defer ourWorkqueue.ShutDown()
	defer theirWorkqueue.ShutDown()
	for _, pair := range []struct {
		ours, theirs       workqueue.TypedRateLimitingInterface[string]
		ourName, theirName string
		depthLabel         string
	}{
		{ours, theirs, named("pq-ours"), named("pq-theirs"), `depth,priority="0"}`},
		{ourWorkqueue, theirWorkqueue, named("wq-ours"), named("wq-theirs"), `depth,priority=""}`},
	} {
		use(pair.ours)
		use(pair.theirs)
		got, want := series(t, pair.ourName), series(t, pair.theirName)
		// A ticker sets the gauges of workers at a time that the test does not control.
		for _, s := range []map[string]float64{got, want} {
			s["unfinished_work_seconds}"], s["longest_running_processor_seconds}"] = 0, 0
		}
		if len(got) != 7 || got[pair.depthLabel] != 1 || got["queue_duration_seconds_count}"] != 2 {
			t.Errorf("%s shows %v", pair.ourName, got)
		}
		for key, v := range want {
			if got[key] != v {
				t.Errorf("%s: %s is %v, theirs %v", pair.ourName, key, got[key], v)
			}
		}
	}
}

// The priorities beyond the limit share one label. Each is counted down where it was counted up.
func TestPriorityLabelsAreBounded(t *testing.T) {
	q := New[int]("bounded")
	defer q.ShutDown()
	for i := range 100 {
		q.AddWithOpts(priorityqueue.AddOpts{Priority: &i}, i)
	}
	depths := func() (labels int, others, total float64) {
		for key, v := range series(t, "bounded") {
			if strings.HasPrefix(key, "depth,") {
				labels++
				total += v
			}
			if key == fmt.Sprintf("depth,priority=%q}", otherPriorities) {
				others = v
			}
			if v < 0 {
				t.Errorf("%s is %v", key, v)
			}
		}
		return labels, others, total
	}
	if labels, others, total := depths(); labels != maxPriorityLabels+1 || others != 100-maxPriorityLabels || total != 100 {
		t.Errorf("%d labels, %v others, %v in all", labels, others, total)
	}
	for range 100 {
		key, _ := q.Get()
		q.Done(key)
	}
	if _, others, total := depths(); others != 0 || total != 0 {
		t.Errorf("an empty queue shows %v others and %v in all", others, total)
	}
}

// An empty registry takes our vectors, and a full one returns its own. If a registry has another
// metric of that name, takeVectors returns an error.
func TestTakeVectors(t *testing.T) {
	registry := prometheus.NewRegistry()
	first, err := takeVectors(registry)
	if err != nil {
		t.Fatal(err)
	}
	second, err := takeVectors(registry)
	if err != nil || *second != *first {
		t.Errorf("the second to come got other vectors than the first, %v", err)
	}
	foreign := prometheus.NewRegistry()
	foreign.MustRegister(prometheus.NewCounterVec(prometheus.CounterOpts{Subsystem: metrics.WorkQueueSubsystem, Name: metrics.DepthKey, Help: "something else"}, []string{"x"}))
	if _, err := takeVectors(foreign); err == nil {
		t.Error("a foreign metric of that name was taken")
	}
}

// A program may put another registry in the place of controller-runtime's, which adds a label to each metric.
func TestARegistryThatRefusesDoesNotEndTheProcess(t *testing.T) {
	r := prometheus.NewRegistry()
	if _, err := takeVectors(r); err != nil {
		t.Fatal(err)
	}
	labelled := prometheus.WrapRegistererWith(prometheus.Labels{"a": "b"}, r)
	if _, err := takeVectors(labelled); err == nil {
		t.Fatal("it takes the same metrics with another label")
	}
	providerFor(labelled).NewAddsMetric("q").Inc()
}

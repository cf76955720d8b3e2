package ctrlqueue

import (
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// vectors is the default provider: the workqueue_* metrics that controller-runtime registers
// for its own queues. Dashboards and alerts see no difference.
type vectors struct {
	depth      *prometheus.GaugeVec
	adds       *prometheus.CounterVec
	latency    *prometheus.HistogramVec
	duration   *prometheus.HistogramVec
	unfinished *prometheus.GaugeVec
	longest    *prometheus.GaugeVec
	retries    *prometheus.CounterVec
}

var _ MetricsProviderWithPriority = (*vectors)(nil)

// defaultProvider takes controller-runtime's vectors once. They are in an internal package.
// The registry returns them to a caller that registers the same metrics again.
var defaultProvider = sync.OnceValue(func() *vectors { return providerFor(metrics.Registry) })

// orDefault is p, or the default provider.
func orDefault(p workqueue.MetricsProvider) workqueue.MetricsProvider {
	if p != nil {
		return p
	}
	return defaultProvider()
}

// providerFor counts for itself where a program has put a registry in place that refuses. A queue works without metrics.
func providerFor(r prometheus.Registerer) *vectors {
	v, err := takeVectors(r)
	if err != nil {
		log.Log.WithName("queue").Error(err, "Nobody sees the metrics of the queues: controller-runtime's registry refuses them")
	}
	return v
}

func takeVectors(r prometheus.Registerer) (*vectors, error) {
	labels := []string{"name", "controller"}
	v := &vectors{
		depth: prometheus.NewGaugeVec(prometheus.GaugeOpts(opts(metrics.DepthKey,
			"Current depth of workqueue by workqueue and priority")), append(labels, "priority")),
		adds: prometheus.NewCounterVec(prometheus.CounterOpts(opts(metrics.AddsKey,
			"Total number of adds handled by workqueue")), labels),
		latency: histogram(metrics.QueueLatencyKey,
			"How long in seconds an item stays in workqueue before being requested"),
		duration: histogram(metrics.WorkDurationKey,
			"How long in seconds processing an item from workqueue takes."),
		unfinished: prometheus.NewGaugeVec(prometheus.GaugeOpts(opts(metrics.UnfinishedWorkKey,
			"How many seconds of work has been done that "+
				"is in progress and hasn't been observed by work_duration. Large "+
				"values indicate stuck threads. One can deduce the number of stuck "+
				"threads by observing the rate at which this increases.")), labels),
		longest: prometheus.NewGaugeVec(prometheus.GaugeOpts(opts(metrics.LongestRunningProcessorKey,
			"How many seconds has the longest running "+
				"processor for workqueue been running.")), labels),
		retries: prometheus.NewCounterVec(prometheus.CounterOpts(opts(metrics.RetriesKey,
			"Total number of items added to the workqueue with a non-zero delay (rate-limited requeues, explicit RequeueAfter or AddAfter calls)")), labels),
	}
	return v, errors.Join(
		take(r, &v.depth), take(r, &v.adds), take(r, &v.latency), take(r, &v.duration),
		take(r, &v.unfinished), take(r, &v.longest), take(r, &v.retries),
	)
}

// opts has the name of a registered metric. A registry recognizes a metric by its exact
// name, labels and help text.
func opts(key, help string) prometheus.Opts {
	return prometheus.Opts{Subsystem: metrics.WorkQueueSubsystem, Name: key, Help: help}
}

func histogram(key, help string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Subsystem: metrics.WorkQueueSubsystem, Name: key, Help: help,
		Buckets: prometheus.ExponentialBuckets(10e-9, 10, 12),
	}, []string{"name", "controller"})
}

// take replaces ours by the metric that is registered already.
func take[C prometheus.Collector](r prometheus.Registerer, ours *C) error {
	err := r.Register(*ours)
	var already prometheus.AlreadyRegisteredError
	if !errors.As(err, &already) {
		return err // nil if ours is the first
	}
	theirs, ok := already.ExistingCollector.(C)
	if !ok {
		return fmt.Errorf("take workqueue metric: it is registered as %T, want %T", already.ExistingCollector, *ours)
	}
	*ours = theirs
	return nil
}

// NewDepthMetric has an empty string as the priority label.
func (v *vectors) NewDepthMetric(name string) workqueue.GaugeMetric {
	return v.depth.WithLabelValues(name, name, "")
}

func (v *vectors) NewAddsMetric(name string) workqueue.CounterMetric {
	return v.adds.WithLabelValues(name, name)
}

func (v *vectors) NewLatencyMetric(name string) workqueue.HistogramMetric {
	return v.latency.WithLabelValues(name, name)
}

func (v *vectors) NewWorkDurationMetric(name string) workqueue.HistogramMetric {
	return v.duration.WithLabelValues(name, name)
}

func (v *vectors) NewUnfinishedWorkSecondsMetric(name string) workqueue.SettableGaugeMetric {
	return v.unfinished.WithLabelValues(name, name)
}

func (v *vectors) NewLongestRunningProcessorSecondsMetric(name string) workqueue.SettableGaugeMetric {
	return v.longest.WithLabelValues(name, name)
}

func (v *vectors) NewRetriesMetric(name string) workqueue.CounterMetric {
	return v.retries.WithLabelValues(name, name)
}

func (v *vectors) NewDepthMetricWithPriority(name string) DepthMetricWithPriority {
	return &labelled{vector: v.depth, name: name, gauges: map[int]prometheus.Gauge{}}
}

const (
	// maxPriorityLabels bounds the priority labels of one queue, as controller-runtime does.
	maxPriorityLabels = 25
	// otherPriorities is the label of all further priorities, as controller-runtime has it.
	otherPriorities = "exceeded_cardinality_limit"
)

// labelled finds the gauge of a priority without building the label each time.
type labelled struct {
	vector *prometheus.GaugeVec
	name   string
	// gauges needs no lock, because the queue calls its observer once at a time.
	// Invariant: a priority keeps the gauge that it got first. So each key is counted down in
	// the gauge where it was counted up, also if the limit is reached in between.
	gauges map[int]prometheus.Gauge
	others prometheus.Gauge // of the priorities beyond the limit; nil: there are none
}

func (l *labelled) Inc(priority int) { l.gauge(priority).Inc() }
func (l *labelled) Dec(priority int) { l.gauge(priority).Dec() }

func (l *labelled) gauge(priority int) prometheus.Gauge {
	if g, ok := l.gauges[priority]; ok {
		return g
	}
	if len(l.gauges) < maxPriorityLabels {
		g := l.vector.WithLabelValues(l.name, l.name, strconv.Itoa(priority))
		l.gauges[priority] = g
		return g
	}
	if l.others == nil {
		l.others = l.vector.WithLabelValues(l.name, l.name, otherPriorities)
	}
	return l.others
}

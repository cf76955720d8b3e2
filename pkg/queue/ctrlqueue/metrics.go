package ctrlqueue

import (
	"time"

	"k8s.io/client-go/util/workqueue"

	"github.com/delta-runtime/delta-runtime/pkg/queue"
)

// MetricsProviderWithPriority is a MetricsProvider that tells priorities apart. It has the
// methods of controller-runtime's interface of that name, which is in an internal package.
type MetricsProviderWithPriority interface {
	workqueue.MetricsProvider
	NewDepthMetricWithPriority(name string) DepthMetricWithPriority
}

// DepthMetricWithPriority is the depth of one queue, by priority.
type DepthMetricWithPriority interface {
	Inc(priority int)
	Dec(priority int)
}

// updatePeriod is the time between two updates of the unfinished work. client-go's tests and
// the dashboards for it know this number.
const updatePeriod = 500 * time.Millisecond

// pusher updates the metrics of a provider when something happens in a queue.
type pusher struct {
	depth      DepthMetricWithPriority
	adds       workqueue.CounterMetric
	latency    workqueue.HistogramMetric
	duration   workqueue.HistogramMetric
	unfinished workqueue.SettableGaugeMetric
	longest    workqueue.SettableGaugeMetric

	// retries counts delayed adds. It is nil for a queue that can't delay, because a provider
	// registers each metric that it is asked for.
	retries workqueue.CounterMetric
}

// anyPriority is a depth metric that does not tell priorities apart.
type anyPriority struct{ depth workqueue.GaugeMetric }

func (d anyPriority) Inc(int) { d.depth.Inc() }
func (d anyPriority) Dec(int) { d.depth.Dec() }

// depthOf is the depth metric for a queue whose priorities are all the same.
func depthOf(name string, p workqueue.MetricsProvider) DepthMetricWithPriority {
	return anyPriority{p.NewDepthMetric(name)}
}

// depthByPriority asks a provider for one of the two depth metrics, and never for both.
func depthByPriority(name string, p workqueue.MetricsProvider) DepthMetricWithPriority {
	if byPriority, ok := p.(MetricsProviderWithPriority); ok {
		return byPriority.NewDepthMetricWithPriority(name)
	}
	return depthOf(name, p)
}

func newPusher(name string, p workqueue.MetricsProvider, depth DepthMetricWithPriority) *pusher {
	return &pusher{
		depth:      depth,
		adds:       p.NewAddsMetric(name),
		latency:    p.NewLatencyMetric(name),
		duration:   p.NewWorkDurationMetric(name),
		unfinished: p.NewUnfinishedWorkSecondsMetric(name),
		longest:    p.NewLongestRunningProcessorSecondsMetric(name),
	}
}

// Queued is for the queue, as are the next four.
func (m *pusher) Queued(priority int) {
	m.adds.Inc()
	m.depth.Inc(priority)
}

// Raised moves a key from one priority to another.
func (m *pusher) Raised(from, to int) {
	m.depth.Dec(from)
	m.depth.Inc(to)
}

// Taken notes how long the key was queued.
func (m *pusher) Taken(priority int, queued time.Duration) {
	m.depth.Dec(priority)
	m.latency.Observe(queued.Seconds())
}

// Finished notes how long the worker had the key.
func (m *pusher) Finished(worked time.Duration) { m.duration.Observe(worked.Seconds()) }

// Delayed counts a retry.
func (m *pusher) Delayed() {
	if m.retries != nil {
		m.retries.Inc()
	}
}

func (m *pusher) update(s queue.Stats) {
	m.unfinished.Set(s.Unfinished.Seconds())
	m.longest.Set(s.LongestWorking.Seconds())
}

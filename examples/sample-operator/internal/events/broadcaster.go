package events

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
)

// Options configure a Broadcaster. The zero value is ready.
type Options struct {
	// Queue is how many Events may wait to be written. Zero means 1000.
	Queue int
	// Correlator merges several Events into one. The zero value has client-go's limits: 25 at
	// once for an object, and then one in five minutes.
	Correlator record.CorrelatorOptions
	// Metrics is where the outcomes are counted. With nil they are counted and not exported.
	Metrics prometheus.Registerer
	Log     logr.Logger
}

// Broadcaster writes Events to the API server. A manager has to run it.
type Broadcaster struct {
	queue      chan *corev1.Event
	correlator *record.EventCorrelator
	outcomes   *prometheus.CounterVec
	complaints complaints
	log        logr.Logger
	lastNano   atomic.Int64 // of an Event's name

	mu       sync.Mutex // guards everything below, and keeps Events out of the queue once stopped is set; never held while calling out
	stopped  bool
	sink     record.EventSink
	watchers []*watcher // replaced, never changed
}

var _ record.EventBroadcaster = &Broadcaster{}

// watcher is called with every Event.
type watcher struct{ tell func(*corev1.Event) }

// NewBroadcaster returns a Broadcaster that does not run yet. Events wait until it does.
func NewBroadcaster(o Options) (*Broadcaster, error) {
	outcomes := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "sample_operator_events_total",
		Help: "How many Kubernetes Events were recorded, by what became of them.",
	}, []string{"outcome"})
	if o.Metrics != nil {
		err := o.Metrics.Register(outcomes)
		if already := (prometheus.AlreadyRegisteredError{}); errors.As(err, &already) {
			outcomes = already.ExistingCollector.(*prometheus.CounterVec) // another manager of this process has registered it
		} else if err != nil {
			return nil, fmt.Errorf("register the counter of Events: %w", err)
		}
	}
	for _, o := range allOutcomes {
		outcomes.WithLabelValues(string(o)) // an alert on a rate needs the series to exist from the start
	}
	size := 1000
	if o.Queue > 0 {
		size = o.Queue
	}
	return &Broadcaster{
		queue:      make(chan *corev1.Event, size),
		correlator: record.NewEventCorrelatorWithOptions(o.Correlator),
		outcomes:   outcomes,
		complaints: complaints{log: o.Log},
		log:        o.Log,
	}, nil
}

// NewRecorder returns a recorder whose Events name source as the place they come from.
func (b *Broadcaster) NewRecorder(scheme *runtime.Scheme, source corev1.EventSource) record.EventRecorderLogger {
	return &recorder{broadcaster: b, scheme: scheme, source: source}
}

// enqueue never waits: an Event is not worth delaying the work that it is about.
func (b *Broadcaster) enqueue(event *corev1.Event) {
	if why := b.tryEnqueue(event); why != "" {
		b.drop(event, why, nil)
	}
}

func (b *Broadcaster) tryEnqueue(event *corev1.Event) (why outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopped {
		return stopped
	}
	select {
	case b.queue <- event:
		return ""
	default:
		return queueFull
	}
}

// StartRecordingToSink sets where Events are written, until the result is stopped. A second
// call replaces the first: a manager calls it twice, for itself and for its cluster, and each
// Event should be written once.
func (b *Broadcaster) StartRecordingToSink(sink record.EventSink) watch.Interface {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sink = sink
	return &detach{stop: func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.sink = nil
	}}
}

// StartEventWatcher calls tell with each Event, also with those that are dropped later. The
// task that writes Events makes the calls.
func (b *Broadcaster) StartEventWatcher(tell func(*corev1.Event)) watch.Interface {
	w := &watcher{tell: tell}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.watchers = append(slices.Clone(b.watchers), w)
	return &detach{stop: func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.watchers = slices.DeleteFunc(slices.Clone(b.watchers), func(other *watcher) bool { return other == w })
	}}
}

// StartLogging logs each Event with logf.
func (b *Broadcaster) StartLogging(logf func(format string, args ...any)) watch.Interface {
	return b.StartEventWatcher(func(e *corev1.Event) {
		logf("%s %s on %s %s/%s: %s", e.Type, e.Reason, e.InvolvedObject.Kind, e.InvolvedObject.Namespace, e.InvolvedObject.Name, e.Message)
	})
}

// StartStructuredLogging logs each Event.
func (b *Broadcaster) StartStructuredLogging(verbosity klog.Level) watch.Interface {
	return b.StartEventWatcher(func(e *corev1.Event) {
		b.log.V(int(verbosity)).Info("Event", "type", e.Type, "reason", e.Reason, "kind", e.InvolvedObject.Kind,
			"object", klog.KRef(e.InvolvedObject.Namespace, e.InvolvedObject.Name), "note", e.Message)
	})
}

// Shutdown makes the Broadcaster drop later Events. It does not wait for Start, which writes
// what is in the queue when its context ends.
func (b *Broadcaster) Shutdown() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopped = true
}

// drainFor is how long the Broadcaster may delay the end of the process.
const drainFor = 5 * time.Second

// NeedLeaderElection returns false, because there are Events before there is a leader: the
// election itself is one.
func (b *Broadcaster) NeedLeaderElection() bool { return false }

// Start writes Events until ctx ends, and then those that are still in the queue.
func (b *Broadcaster) Start(ctx context.Context) error {
	defer b.close()
	for ctx.Err() == nil { // Start has to end although the queue may never be empty
		select {
		case <-ctx.Done():
		case event := <-b.queue:
			b.handle(ctx, event)
		}
	}
	b.drain()
	return nil
}

// drain writes the Events in the queue. It makes one attempt for each.
func (b *Broadcaster) drain() {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for begin := time.Now(); time.Since(begin) < drainFor; {
		select {
		case event := <-b.queue:
			b.handle(over, event)
		default:
			return
		}
	}
}

// close counts the Events as dropped that nobody will write any more.
func (b *Broadcaster) close() {
	b.Shutdown()
	for {
		select {
		case event := <-b.queue:
			b.drop(event, stopped, nil)
		default:
			return
		}
	}
}

// detach is the result of the Start… methods. Its Stop ends what they began. It delivers no
// events.
type detach struct {
	once sync.Once
	stop func()
}

// Stop ends what the Start… method began.
func (d *detach) Stop() { d.once.Do(d.stop) }

// ResultChan returns a closed channel.
func (d *detach) ResultChan() <-chan watch.Event {
	none := make(chan watch.Event)
	close(none)
	return none
}

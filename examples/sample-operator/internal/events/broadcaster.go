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
	// Correlator is what makes one Event of several; the zero value has client-go's limits:
	// 25 at once for an object, and then one in five minutes.
	Correlator record.CorrelatorOptions
	// Metrics is where the outcomes are counted; nil counts for nobody.
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

	mu       sync.Mutex // guards everything below, and that nothing is queued when stopped; never held while calling out
	stopped  bool
	sink     record.EventSink
	watchers []*watcher // replaced, never changed
}

var _ record.EventBroadcaster = &Broadcaster{}

// watcher is told of every Event.
type watcher struct{ tell func(*corev1.Event) }

// NewBroadcaster returns a Broadcaster that nobody runs yet: until then Events wait.
func NewBroadcaster(o Options) (*Broadcaster, error) {
	outcomes := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "sample_operator_events_total",
		Help: "How many Kubernetes Events were recorded, by what became of them.",
	}, []string{"outcome"})
	if o.Metrics != nil {
		err := o.Metrics.Register(outcomes)
		if already := (prometheus.AlreadyRegisteredError{}); errors.As(err, &already) {
			outcomes = already.ExistingCollector.(*prometheus.CounterVec) // another manager of this process
		} else if err != nil {
			return nil, fmt.Errorf("register the counter of Events: %w", err)
		}
	}
	for _, o := range allOutcomes {
		outcomes.WithLabelValues(string(o)) // an alert on a rate takes a series to be there from the start
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

// NewRecorder returns a recorder whose Events say that they come from source.
func (b *Broadcaster) NewRecorder(scheme *runtime.Scheme, source corev1.EventSource) record.EventRecorderLogger {
	return &recorder{broadcaster: b, scheme: scheme, source: source}
}

// enqueue never waits: an Event is not worth holding up who has done something.
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

// StartRecordingToSink says where Events are written, until the result is stopped. What
// was said before does not hold any more: a manager says it twice, for itself and for its
// cluster, and each Event is to be written once.
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

// StartEventWatcher has somebody told of each Event, whatever becomes of it, from the
// task that writes it.
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

// StartLogging logs each Event by a function.
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

// Shutdown has later Events dropped. Start writes what is in the queue when its context
// ends, and is not to be waited for here.
func (b *Broadcaster) Shutdown() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopped = true
}

// drainFor is how long the end of the process may be held up.
const drainFor = 5 * time.Second

// NeedLeaderElection has Events written from before there is a leader: who was elected
// is one.
func (b *Broadcaster) NeedLeaderElection() bool { return false }

// Start writes Events until ctx ends, and then what is left of them.
func (b *Broadcaster) Start(ctx context.Context) error {
	defer b.close()
	for ctx.Err() == nil { // a queue that is never empty must not keep it from ending
		select {
		case <-ctx.Done():
		case event := <-b.queue:
			b.handle(ctx, event)
		}
	}
	b.drain()
	return nil
}

// drain writes what has been recorded before, each at the first attempt or not at all.
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

// close accounts for what nobody will write any more.
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

// detach is what those who begin something are given to end it. No events come by it.
type detach struct {
	once sync.Once
	stop func()
}

// Stop ends what was begun.
func (d *detach) Stop() { d.once.Do(d.stop) }

// ResultChan is closed.
func (d *detach) ResultChan() <-chan watch.Event {
	none := make(chan watch.Event)
	close(none)
	return none
}

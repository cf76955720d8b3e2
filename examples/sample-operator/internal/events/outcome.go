package events

import (
	"sync"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
)

// outcome is what became of an Event.
type outcome string

const (
	written     outcome = "written"      // it is there
	aggregated  outcome = "aggregated"   // it counts in one that is there
	queueFull   outcome = "queue-full"   // dropped: the server does not keep up
	rateLimited outcome = "rate-limited" // dropped: too many about one object
	refused     outcome = "refused"      // dropped: the server does not want it
	unreachable outcome = "unreachable"  // dropped: there was no answer, again and again
	malformed   outcome = "malformed"    // dropped: the object that it is about can't be named
	stopped     outcome = "stopped"      // dropped: the process ends
)

var allOutcomes = []outcome{written, aggregated, queueFull, rateLimited, refused, unreachable, malformed, stopped}

func (b *Broadcaster) count(what outcome) { b.outcomes.WithLabelValues(string(what)).Inc() }

// drop counts an Event that will not be written.
func (b *Broadcaster) drop(event *corev1.Event, why outcome, err error) {
	b.count(why)
	b.complaints.about(event, why, err)
}

// complainAgainAfter is the time between two lines of the log that say that Events are
// dropped. The counter says how many.
const complainAgainAfter = time.Minute

// complaints logs lines about dropped Events. There must be far fewer lines than dropped
// Events.
type complaints struct {
	log logr.Logger

	mu      sync.Mutex // guards everything below
	last    time.Time
	skipped int // since then
}

func (c *complaints) about(event *corev1.Event, why outcome, err error) {
	c.mu.Lock()
	now := time.Now()
	if !c.last.IsZero() && now.Sub(c.last) < complainAgainAfter {
		c.skipped++
		c.mu.Unlock()
		return
	}
	more := c.skipped
	c.last, c.skipped = now, 0
	c.mu.Unlock()
	c.log.Info("An Event was dropped", "why", string(why), "error", err, "alsoDroppedSinceLastLine", more,
		"reason", event.Reason, "kind", event.InvolvedObject.Kind,
		"object", klog.KRef(event.InvolvedObject.Namespace, event.InvolvedObject.Name))
}

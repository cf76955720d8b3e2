package metrics

import (
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/delta-runtime/delta-runtime/internal/inspect/observe"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// kind takes the samples of one kind.
func (s samples) kind(k *observe.Kind) {
	labels := [4]string{k.GVK.Group, k.GVK.Version, k.GVK.Kind, k.Form}
	status, counts := k.Informer.Status(), k.Informer.Counts()
	set := func(f *family, value float64, more ...string) { s.set(f, value, append(labels[:4:4], more...)...) }
	set(synced, map[bool]float64{true: 1}[status.Synced])
	set(state, 1, status.Reflector.State)
	set(objects, float64(status.Objects))
	set(bytes, float64(k.Weigh(time.Now())))
	set(watches, float64(counts.Reflector.Watches))
	for f, n := range map[*family]uint64{skipped: counts.Reflector.Skipped, gaps: counts.Gaps, mutations: status.Mutations} {
		if n > 0 {
			set(f, float64(n))
		}
	}
	set(oldest, counts.Oldest.Seconds())
	for reason, n := range counts.Reflector.Each {
		if n > 0 {
			set(lists, float64(n), reason.String())
		}
	}
	if r := status.Resync; r.Left > 0 || r.Shown > 0 || r.Skipped > 0 {
		set(resyncLeft, float64(r.Left))
		set(resyncShown, float64(r.Shown))
		set(resyncSkipped, float64(r.Skipped))
	}
	for i := range status.Scopes {
		s.scope(&status.Scopes[i], labels)
	}
	for i := range status.Subscribers {
		of := &status.Subscribers[i]
		set(lagTime, of.OldestAge.Seconds(), of.Name)
	}
}

// clientGos takes what client-go's informers would show.
func (s samples) clientGos(k *observe.Kind) {
	status, counts := k.Informer.Status(), k.Informer.Counts()
	resource, _ := meta.UnsafeGuessKindToResource(k.GVK)
	labels := [4]string{"delta-runtime", resource.Group, resource.Version, resource.Resource}
	s.set(queuedItems, float64(status.Pending), labels[:]...)
	s.read(processing, counts.Processed, labels[:]...)
	digits := status.Version[max(0, len(status.Version)-15):]
	if version, err := strconv.ParseUint(digits, 10, 64); err == nil { // not of a server that has other versions
		s.set(storeVersion, float64(version), labels[:]...)
	}
}

// scope takes those samples of a kind that are known for each namespace.
func (s samples) scope(of *informer.ScopeStatus, labels [4]string) {
	for f, at := range map[*family]time.Time{heard: of.HeardAt, disconnected: of.Reflector.DisconnectedSince, degraded: of.Reflector.DegradedSince} {
		if !at.IsZero() {
			s.set(f, float64(at.UnixMilli())/1e3, labels[:]...)
		}
	}
}

// controller takes the samples of one controller.
func (s samples) controller(c *observe.Controller) {
	set := func(f *family, value float64, more ...string) { s.set(f, value, append([]string{c.Name}, more...)...) }
	calls := c.Calls.Read()
	for cause, n := range calls.Causes {
		set(causes, float64(n), cause.String())
	}
	for reason, n := range calls.Lacking {
		set(incomplete, float64(n), reason)
	}
	s.read(latency, calls.Latency, c.Name)
	set(changes, float64(calls.Changes))
	set(own, float64(calls.Own))
	set(heldBack, float64(c.HeldBack()))
	for _, step := range c.Steps() {
		set(steps, float64(step.Done), step.Name, "done")
		set(steps, float64(step.Failed), step.Name, "failed")
		set(steps, float64(step.Skipped), step.Name, "skipped")
	}
	s.hotLoops(c)
	ledger := c.Ledger()
	set(requests, float64(ledger.Requests))
	set(overflows, float64(ledger.Overflows))
	set(unsettled, float64(ledger.Unsettled))
	if stats, ours := c.Queue(); ours {
		set(delayed, float64(stats.Waiting))
		set(oldestRequest, stats.OldestQueued.Seconds())
		set(aged, float64(stats.Aged))
	}
}

// hotLoops takes the samples of a controller's guard.
func (s samples) hotLoops(c *observe.Controller) {
	if c.Loops == nil {
		return
	}
	for pattern, n := range c.LoopsFound() {
		if n > 0 {
			s.set(loopsFound, float64(n), c.Name, pattern)
			s.set(loops, 0, c.Name, pattern)
		}
	}
	s.set(loopsHeld, float64(c.LoopsHeld()), c.Name)
	for _, e := range c.Loops() {
		if e.Ended.IsZero() {
			s.set(loops, 1, c.Name, e.Pattern.String())
		}
	}
}

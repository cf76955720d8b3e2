package reflector

import (
	"errors"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// disconnectedAfter is how long the server has to be unheard before the log says so. Most
// connections that break are open again sooner.
const disconnectedAfter = 5 * time.Second

// outage is a time in which the server could not be followed. One that can be followed for a moment now and then has
// one outage, and so two lines in the log. It is guarded by Reflector.mu.
type outage struct {
	since time.Time // of the first attempt that failed; zero where there is no outage
	said  bool      // the log has it
	woken bool      // a wait has ended early, as another kind heard the server; none does so again
}

// noteDisconnected notes an attempt that failed at now. If it is the first, the server was last heard then, or when the
// attempt began if that brought only silence.
func (r *Reflector[T]) noteDisconnected(s *informer.ReflectorStatus, now time.Time, err error) {
	heard := now
	switch {
	case errors.Is(err, ErrStalled):
		heard = now.Add(-r.opts.StallAfter)
	case errors.Is(err, ErrNoAnswer):
		heard = s.Since
	}
	r.silent = false // it is not only suspected any more
	if s.DisconnectedSince.IsZero() {
		s.DisconnectedSince = heard
	}
	if r.outage.since.IsZero() {
		r.outage.since = heard
	}
}

// Suspect notes that the server has not answered somebody since then, and why: a watch that is open may hear nothing.
// A zero time says that the server has answered.
func (r *Reflector[T]) Suspect(since time.Time, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch s := &r.status; {
	case since.IsZero():
		r.clearLocked()
	case s.SyncedOnce && s.DisconnectedSince.IsZero() && (s.State == Following || s.State == Watching || s.State == Streaming || s.State == Listing):
		r.silent, s.DisconnectedSince, s.LastError, s.LastErrorAt = true, since, why, r.opts.Now()
	}
}

// clearLocked ends what Suspect has said.
func (r *Reflector[T]) clearLocked() {
	if r.silent {
		r.silent, r.status.DisconnectedSince = false, time.Time{}
	}
}

// hears notes that the server has answered.
func (r *Reflector[T]) hears() {
	again := false
	r.note(func(s *informer.ReflectorStatus) {
		again, s.DisconnectedSince, r.silent = !s.DisconnectedSince.IsZero(), time.Time{}, false
	})
	if again {
		r.opts.Line.hears()
	}
}

// sayDisconnected writes the first line of an outage before a wait that ends at next, unless the outage is short. A kind that
// is degraded has a line of its own.
func (r *Reflector[T]) sayDisconnected(next time.Time) {
	r.mu.Lock()
	s, lost := r.status, r.outage
	silent := lost.said || lost.since.IsZero() || !s.DegradedSince.IsZero() || next.Sub(lost.since) < disconnectedAfter
	r.outage.said = lost.said || !silent
	r.mu.Unlock()
	if silent {
		return
	}
	shows := "nothing yet"
	if s.SyncedOnce {
		shows = "version " + s.Version
	}
	r.opts.Logger.Info("kind is disconnected: it cannot follow the server, and tries again and again",
		"kind", r.opts.Kind, "since", lost.since, "shows", shows, "nextTry", next, "reason", s.LastError.Error())
}

// endOutage ends an outage once a watch has been open for HealthyAfter. The caller calls stop when the watch is over.
func (r *Reflector[T]) endOutage() (stop func() bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.outage.since.IsZero() {
		return func() bool { return true }
	}
	return time.AfterFunc(r.opts.HealthyAfter, func() {
		r.mu.Lock()
		over, version := r.outage, r.status.Version
		r.outage = outage{}
		r.mu.Unlock()
		if over.said {
			r.opts.Logger.Info("kind hears the server again", "kind", r.opts.Kind, "wasDisconnectedSince", over.since, "version", version)
		}
	}).Stop
}

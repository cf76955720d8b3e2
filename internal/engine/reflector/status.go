package reflector

import (
	"fmt"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// These say what a Reflector is doing; see [informer.ReflectorStatus].
const (
	Idle       = "Idle"
	Queued     = "Queued"
	Streaming  = "Streaming"
	Listing    = "Listing"
	Watching   = "Watching"
	Following  = "Following"
	BackingOff = "BackingOff"
	Degraded   = "Degraded"
	Stopped    = "Stopped"
)

// why says in a sentence why the kind is not synced or not up to date, and what to do
// about it.
func why(s *informer.ReflectorStatus) string {
	switch {
	case retriesRefused(s), s.State == Degraded:
		return content(s) + fmt.Sprintf(": %v; %s", s.LastError, Next(s))
	case s.State == BackingOff:
		return content(s) + fmt.Sprintf(": attempt %d ended with: %v; %s", s.Attempts, s.LastError, Next(s))
	case s.State == Following && !s.DisconnectedSince.IsZero():
		return content(s) + fmt.Sprintf(": the server has not answered since %s: %v", clock(s.DisconnectedSince), s.LastError)
	case s.State == Streaming, s.State == Listing, s.State == Watching:
		return s.Kind + " " + inState(s) + lately(s)
	default:
		return s.Kind + " " + inState(s)
	}
}

// Next says what a person can do about the last error, and what the Reflector does next. It may be empty.
// [informer.ReflectorStatus.Why] has the error as well.
func Next(s *informer.ReflectorStatus) string {
	switch {
	case retriesRefused(s):
		return remedy(s.LastError) + "; trying again since " + clock(s.Since)
	case s.State == Degraded && s.NextTry.IsZero():
		return remedy(s.LastError)
	case s.State == Degraded:
		return remedy(s.LastError) + "; next try at " + clock(s.NextTry)
	case s.State == BackingOff && s.NextTry.IsZero():
		return ""
	case s.State == BackingOff:
		return "next try at " + clock(s.NextTry)
	case s.State == Following && !s.DisconnectedSince.IsZero():
		return ""
	default:
		return "it " + inState(s)
	}
}

// NotMade is the status of a kind that has no Reflector yet, because the server does not say what it serves. Those who want
// the kind ask again, so nothing is known of the next try.
func NotMade(kind string, since time.Time, err error) informer.ReflectorStatus {
	s := informer.ReflectorStatus{Kind: kind, State: BackingOff, Since: since, LastError: err}
	if classify(err).degrades() {
		s.State, s.DegradedSince = Degraded, since
	} else {
		s.DisconnectedSince = since
	}
	s.Why = fmt.Sprintf("%s: %v", content(&s), err)
	return s
}

// inState says of what goes its way what it is.
func inState(s *informer.ReflectorStatus) string {
	switch s.State {
	case Idle:
		return "has not been started"
	case Queued:
		return fmt.Sprintf("waits since %s for its turn to list: as many kinds as may list at once are doing it", clock(s.Since))
	case Streaming, Listing:
		return "is being listed since " + clock(s.Since)
	case Watching:
		return fmt.Sprintf("asks since %s for a watch from version %s", clock(s.Since), s.Version)
	case Following:
		return "is in step with the server at version " + s.Version
	case Stopped:
		return "has been stopped"
	default:
		panic("BUG: no sentence for " + s.State)
	}
}

// retriesRefused reports whether it asks again for what it was refused. What to do
// about it is worth knowing then as well, and not just between two attempts.
func retriesRefused(s *informer.ReflectorStatus) bool {
	switch s.State {
	case Queued, Streaming, Listing, Watching:
		return !s.DegradedSince.IsZero() && classify(s.LastError).degrades()
	default:
		return false
	}
}

// content says what readers are looking at while something is wrong.
func content(s *informer.ReflectorStatus) string {
	if !s.SyncedOnce {
		return s.Kind + " is not synced"
	}
	return fmt.Sprintf("%s shows the state of version %s", s.Kind, s.Version)
}

func lately(s *informer.ReflectorStatus) string {
	if s.Attempts == 0 {
		return ""
	}
	return fmt.Sprintf("; attempt %d ended at %s with: %v", s.Attempts, clock(s.LastErrorAt), s.LastError)
}

func remedy(refused error) string {
	switch classify(refused) {
	case failedMissing:
		return "install the kind's CRD, or do not watch the kind"
	case failedNoList:
		return "no cache can hold it, so use a client that reads from none"
	default:
		return "grant list and watch of the kind to the operator's account"
	}
}

func clock(t time.Time) string { return t.Format(time.TimeOnly) }

// Status may be called from any goroutine.
func (r *Reflector[T]) Status() informer.ReflectorStatus {
	r.mu.Lock()
	s := r.status
	r.mu.Unlock()
	s.Why = why(&s)
	return s
}

// LastSyncResourceVersion is the last resource version seen. The sink has been
// told of it, which does not mean that readers see it already.
func (r *Reflector[T]) LastSyncResourceVersion() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status.Version
}

func (r *Reflector[T]) note(change func(*informer.ReflectorStatus)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.status)
}

func (r *Reflector[T]) enter(state string) {
	now := r.opts.Now()
	r.note(func(s *informer.ReflectorStatus) {
		s.State, s.Since, s.NextTry = state, now, time.Time{}
	})
}

// moveTo records that everything up to version has been handed to the sink.
func (r *Reflector[T]) moveTo(version string) {
	if version == "" {
		return
	}
	r.at = position{version: version}
	r.mu.Lock()
	r.status.Version = version
	r.clearLocked()
	r.mu.Unlock()
}

// openedWatch ends what only a person could have helped with.
func (r *Reflector[T]) openedWatch() {
	r.opts.Tally.watches.Add(1)
	var degradedSince time.Time
	r.note(func(s *informer.ReflectorStatus) {
		degradedSince, s.DegradedSince = s.DegradedSince, time.Time{}
	})
	if !degradedSince.IsZero() {
		r.opts.Logger.Info("kind is no longer degraded", "kind", r.opts.Kind, "since", degradedSince)
	}
}

// recovered ends a row of failed attempts.
func (r *Reflector[T]) recovered() {
	r.note(func(s *informer.ReflectorStatus) { s.Attempts = 0 })
}

package engine

import (
	"fmt"
	"time"
)

// State is what a Reflector is doing.
type State uint8

const (
	// Idle means it has not been started.
	Idle State = iota
	// Queued means it waits for its turn to list.
	Queued
	// Streaming means it reads a whole list as a stream of events.
	Streaming
	// Listing means it reads a whole list in pages.
	Listing
	// Watching means it asks for a watch.
	Watching
	// Following means a watch is open: it is in step with the server.
	Following
	// BackingOff means it waits until it tries again what went wrong.
	BackingOff
	// Degraded means the server refuses the kind or does not have it. It keeps
	// trying, but somebody has to do something about it.
	Degraded
	// Stopped means it has returned.
	Stopped
)

var stateNames = [...]string{"Idle", "Queued", "Streaming", "Listing", "Watching", "Following", "BackingOff", "Degraded", "Stopped"}

// String is the constant's name.
func (s State) String() string {
	if int(s) >= len(stateNames) {
		return fmt.Sprintf("State(%d)", uint8(s))
	}
	return stateNames[s]
}

// Status is all there is to know about a Reflector at one moment.
type Status struct {
	Kind  string
	State State
	Since time.Time // when it entered State

	// Version is the last resource version it has seen.
	Version string
	// SyncedOnce is whether it has ever handed on a whole list.
	SyncedOnce bool
	// ListedAt is when it last did.
	ListedAt time.Time

	// Attempts is how often it has failed in a row.
	Attempts    int
	LastError   error
	LastErrorAt time.Time
	// NextTry is when it tries again; set while BackingOff or Degraded.
	NextTry time.Time
	// DegradedSince is when it first was Degraded, and zero once a watch could be
	// opened: State leaves Degraded for each attempt, this does not.
	DegradedSince time.Time

	// Skipped is how many objects and events it had to leave out because they
	// could not be understood, and LastSkipped why the last of them.
	Skipped     int
	LastSkipped error
}

// Why says in a sentence what an operator needs to know: why the kind is not
// synced or not up to date, and what to do about it.
func (s Status) Why() string {
	if s.retriesRefused() {
		return s.content() + fmt.Sprintf(": %v; %s; trying again since %s", s.LastError, s.remedy(), clock(s.Since))
	}
	switch s.State {
	case Idle:
		return fmt.Sprintf("%s has not been started", s.Kind)
	case Queued:
		return fmt.Sprintf("%s waits since %s for its turn to list: as many kinds as may list at once are doing it", s.Kind, clock(s.Since))
	case Streaming, Listing:
		return fmt.Sprintf("%s is being listed since %s", s.Kind, clock(s.Since)) + s.lately()
	case Watching:
		return fmt.Sprintf("%s asks since %s for a watch from version %s", s.Kind, clock(s.Since), s.Version) + s.lately()
	case Following:
		return fmt.Sprintf("%s is in step with the server at version %s", s.Kind, s.Version)
	case BackingOff:
		return s.content() + fmt.Sprintf(": attempt %d ended with: %v; next try at %s", s.Attempts, s.LastError, clock(s.NextTry))
	case Degraded:
		return s.content() + fmt.Sprintf(": %v; %s; next try at %s", s.LastError, s.remedy(), clock(s.NextTry))
	case Stopped:
		return fmt.Sprintf("%s has been stopped", s.Kind)
	default:
		panic(fmt.Sprintf("BUG: no sentence for %v", s.State))
	}
}

// retriesRefused reports whether it asks again for what it was refused. What to do
// about it is worth knowing then as well, and not just between two attempts.
func (s Status) retriesRefused() bool {
	return s.State >= Queued && s.State <= Watching && !s.DegradedSince.IsZero() && classify(s.LastError).degrades()
}

// content says what readers are looking at while something is wrong.
func (s Status) content() string {
	if !s.SyncedOnce {
		return s.Kind + " is not synced"
	}
	return fmt.Sprintf("%s shows the state of version %s", s.Kind, s.Version)
}

func (s Status) lately() string {
	if s.Attempts == 0 {
		return ""
	}
	return fmt.Sprintf("; attempt %d ended at %s with: %v", s.Attempts, clock(s.LastErrorAt), s.LastError)
}

func (s Status) remedy() string {
	if classify(s.LastError) == failedMissing {
		return "install the kind's CRD, or do not watch the kind"
	}
	return "grant list and watch of the kind to the operator's account"
}

func clock(t time.Time) string { return t.Format(time.TimeOnly) }

// Status may be called from any goroutine.
func (r *Reflector[T]) Status() Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status
}

// LastSyncResourceVersion is the last resource version seen. The sink has been
// told of it, which does not mean that readers see it already.
func (r *Reflector[T]) LastSyncResourceVersion() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status.Version
}

func (r *Reflector[T]) note(change func(*Status)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.status)
}

func (r *Reflector[T]) enter(state State) {
	now := r.opts.Now()
	r.note(func(s *Status) {
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
	r.mu.Unlock()
}

// openedWatch ends what only a person could have helped with.
func (r *Reflector[T]) openedWatch() {
	var degradedSince time.Time
	r.note(func(s *Status) {
		degradedSince, s.DegradedSince = s.DegradedSince, time.Time{}
	})
	if !degradedSince.IsZero() {
		r.opts.Logger.Info("kind is no longer degraded", "kind", r.opts.Kind, "since", degradedSince)
	}
}

// recovered ends a row of failed attempts.
func (r *Reflector[T]) recovered() {
	r.note(func(s *Status) { s.Attempts = 0 })
}

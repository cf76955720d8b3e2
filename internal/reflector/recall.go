package reflector

import (
	"context"
	"fmt"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/revision"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// This file is about a Reflector that begins with a state that was saved, and not with a list:
//
//	recall ──▶ ask the server for its version ──▶ hand on ──▶ watch ──▶ follow, until caught up
//	   │                                                        │
//	   └── refused, or the server went back ──▶ start           └── expired ──▶ list: what changed shows
//
// A saved state is worth nothing if the server has gone back in time since, as after a restore
// from a backup. A server that is older than the state shows that by its version. One that has
// gone past the state's version again does not. So a list follows after a while, as after an outage.

// Recaller is a [Sink] that can begin with a state that was saved.
type Recaller[T any] interface {
	// Recall hands on the state, and the ownership of objs. It returns when they can be read.
	Recall(ctx context.Context, objs []T, version string) error
	// CaughtUp says that everything has been handed on that the server had to tell since. It
	// may be called by another goroutine than the one that runs the Reflector.
	CaughtUp()
}

// Recalled is a state that was saved.
type Recalled[T any] struct {
	Objs    []T
	Version string
	// Now is the version that the server has at least, empty if that is not known.
	Now string
	// RecheckAfter is when a list makes certain that the server still has the history that the state is part
	// of, up to doubled by chance. Zero is never.
	RecheckAfter time.Duration
}

const (
	// quiet is how long a watch may bring nothing until it counts as caught up. A server sends
	// what it has as soon as the watch is open.
	quiet = 200 * time.Millisecond
	// longestCatchUp is for a watch that is never quiet, from a server that does not say where it is.
	longestCatchUp = 2 * time.Second
)

// recall begins with the saved state, if there is one.
func (r *Reflector[T]) recall(ctx context.Context) (step, error) {
	to, ok := r.sink.(Recaller[T])
	load := r.opts.Recall
	r.opts.Recall = nil // once
	if !ok {
		return r.start(), nil
	}
	r.enter(Listing)
	state := load(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, nil //nolint:nilerr // to be told to stop is not a failure
	case state == nil:
		return r.start(), nil
	case revision.Older(state.Now, state.Version):
		r.opts.Logger.Info("The saved state is not used: the server is older, it may have been restored from a backup",
			"kind", r.opts.Kind, "saved", state.Version, "server", state.Now)
		return r.start(), nil
	}
	if err := to.Recall(ctx, state.Objs, state.Version); err != nil {
		return nil, r.fail(ctx, Listing, fmt.Errorf("hand on the saved state: %w", err)) // which counts as none if ctx has ended
	}
	r.at = position{version: state.Version}
	r.listed = r.opts.Now()
	if after := state.RecheckAfter; after > 0 {
		r.doubts.recheck = r.listed.Add(after + time.Duration(r.random()*float64(after)))
	}
	r.catchUp = &catchUp{to: state.Now, caughtUp: func() {
		to.CaughtUp()
		r.note(func(s *informer.ReflectorStatus) { s.SyncedOnce = true })
	}}
	return r.watch, nil
}

// expiredSinceSaved reports whether err says that the server has forgotten what happened since
// the state was saved. Then a list shows what has changed.
func (r *Reflector[T]) expiredSinceSaved(err error) bool {
	return r.catchUp != nil && classify(err).lostVersion()
}

// catchUp is the way from a saved state to what the server has now.
type catchUp struct {
	to       string // the version to get to, if it is known
	caughtUp func()
	timer    *time.Timer // calls caughtUp after a while of silence; nil before the watch is open
	latest   time.Time   // when it is called, silence or not
}

// opened notes that the watch is open.
func (c *catchUp) opened() {
	if c != nil {
		c.timer, c.latest = time.AfterFunc(quiet, c.caughtUp), time.Now().Add(longestCatchUp)
	}
}

// heard notes an event, and reports whether that is all.
func (c *catchUp) heard(version string, bookmark bool) (all bool) {
	if c == nil {
		return false
	}
	switch {
	case bookmark, c.to != "" && version != "" && !revision.Older(version, c.to), c.to == "" && time.Now().After(c.latest):
		c.timer.Stop()
		c.caughtUp()
		return true
	}
	c.timer.Reset(quiet)
	return false
}

// ended notes that the watch has ended.
func (c *catchUp) ended() {
	if c != nil && c.timer != nil {
		c.timer.Stop()
	}
}

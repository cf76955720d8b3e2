package builder

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/internal/hotloop"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// guard finds requests that are called again and again to no end, says so once for each episode,
// and slows them down if it is told to.
//
//	call ──▶ held? ──no──▶ reconciler ──▶ its changes ──▶ watch ──▶ a new episode: log, Event, count
//	           │                                              │
//	           │                                              └──▶ defers: hold the next call back
//	           └── yes: count, and again after the rest of the delay
//
// A nil guard does nothing.
type guard[R comparable] struct {
	name   string
	mgr    manager.Manager
	defers bool
	watch  *hotloop.Watch[R]
	found  [1 + hotloop.OwnWrites]atomic.Uint64 // episodes, by pattern
	heldUp atomic.Uint64                        // calls that were held back
	broken atomic.Bool                          // it has panicked, and looks no more

	mu    lock.Mutex[lock.Guard] // guards everything below
	share share[R]
	loops map[R]time.Time // until when requests are held back that have an episode. Invariant: at most maxLoops.
}

// maxLoops is how many requests may be noted as having an episode. Those of objects that are gone stay, so any goes
// where another one comes.
const maxLoops = 4096

// newGuard returns the guard that the options ask for.
func newGuard[R comparable](name string, mgr manager.Manager, opts delta.LedgerOptions) *guard[R] {
	if opts.IgnoreHotLoops {
		return nil
	}
	return &guard[R]{
		name: name, mgr: mgr, defers: opts.DeferHotLoops,
		watch: hotloop.New[R](opts.DeferHotLoops),
		share: newShare[R](), loops: map[R]time.Time{},
	}
}

// rest is how long the request has to be held back from now on. An object that is being deleted may
// wait for a finalizer, so a request that hears of one is not held back.
func (g *guard[R]) rest(r R, now time.Time, waiting func(R) delta.Changes) time.Duration {
	if g == nil || !g.defers {
		return 0
	}
	rest := g.heldUntil(r).Sub(now)
	if rest <= 0 || tellsOfDeletion(waiting(r)) {
		return 0
	}
	g.heldUp.Add(1)
	return rest
}

// heldUntil returns until when a request is held back. It is zero or past if it is not.
func (g *guard[R]) heldUntil(r R) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.loops[r]
}

// tellsOfDeletion reports whether an object is gone or is being deleted.
func tellsOfDeletion(changes delta.Changes) bool {
	for c := range changes.All() {
		if obj := c.Object(); c.Op == delta.Deleted || obj != nil && obj.GetDeletionTimestamp() != nil {
			return true
		}
	}
	return false
}

// called looks at a call that has ended.
func (g *guard[R]) called(ctx context.Context, r R, told delta.Changes) {
	if g == nil || g.broken.Load() {
		return
	}
	defer func() {
		if p := recover(); p != nil { // nobody asked for a guard, so a bug in it must not cost a reconcile
			g.broken.Store(true)
			logr.FromContextOrDiscard(ctx).Error(fmt.Errorf("panic: %v", p),
				"BUG: the guard against hot loops panicked, and looks no more", "stack", string(debug.Stack()))
		}
	}()
	now := time.Now()
	if !g.looksAt(r, now) {
		return
	}
	episode, verdict := g.watch.Called(r, told, now)
	g.looked(r, verdict, now)
	switch verdict {
	case hotloop.Calm:
		return
	case hotloop.Found:
		g.found[episode.Pattern].Add(1)
		g.report(ctx, &episode, told)
	case hotloop.Over:
		logr.FromContextOrDiscard(ctx).Info("The request is no longer called again and again",
			"pattern", episode.Pattern.String(), "rounds", episode.Rounds, "began", episode.Began)
	case hotloop.Continues:
	}
	if g.defers && verdict != hotloop.Over {
		g.hold(r, &episode, now)
	}
}

// looksAt reports whether the guard looks at a call.
func (g *guard[R]) looksAt(r R, now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, loops := g.loops[r]
	return g.share.has(r, now) || loops
}

// looked notes what a look has shown that began at a time.
func (g *guard[R]) looked(r R, verdict hotloop.Verdict, began time.Time) {
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.share.took(now.Sub(began), now)
	switch verdict {
	case hotloop.Found, hotloop.Continues:
		if _, known := g.loops[r]; known {
			return
		}
		for other := range g.loops {
			if len(g.loops) < maxLoops {
				break
			}
			delete(g.loops, other)
		}
		g.loops[r] = time.Time{}
	case hotloop.Over, hotloop.Calm:
		delete(g.loops, r)
	}
}

// hold says until when the next call is held back.
func (g *guard[R]) hold(r R, episode *hotloop.Episode[R], now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, known := g.loops[r]; known {
		g.loops[r] = now.Add(hotloop.Defer(*episode))
	}
}

// report says that an episode has begun.
func (g *guard[R]) report(ctx context.Context, e *hotloop.Episode[R], told delta.Changes) {
	says := describeLoop(e)
	logr.FromContextOrDiscard(ctx).Info("The request is called again and again to no end: "+says,
		"pattern", e.Pattern.String(), "object", e.Kind.Kind+" "+e.Key.String(), "paths", e.Paths, "managers", e.Managers,
		"rounds", e.Rounds, "since", e.Began, "heldBack", g.defers)
	for c := range told.All() {
		if c.Kind == e.Kind && c.Key == e.Key && c.Object() != nil {
			g.mgr.GetEventRecorder(g.name).Eventf(c.Object(), nil, corev1.EventTypeWarning, "HotLoop", "Reconcile", "%s", says)
			return
		}
	}
}

// describeLoop says in a sentence who writes what again and again.
func describeLoop[R comparable](e *hotloop.Episode[R]) string {
	what := fmt.Sprintf("%s of %s %s", strings.Join(e.Paths, ", "), e.Kind.Kind, e.Key)
	switch {
	case e.Pattern == hotloop.Fight && len(e.Managers) == 2:
		return fmt.Sprintf("%s and %s undo each other's writes to %s, %d rounds so far", e.Managers[0], e.Managers[1], what, e.Rounds)
	case e.Pattern == hotloop.Fight:
		return fmt.Sprintf("two writers undo each other's writes to %s, %d rounds so far", what, e.Rounds)
	case len(e.Managers) > 0:
		return fmt.Sprintf("%s writes %s, and is called for that, %d times so far", e.Managers[0], what, e.Rounds)
	default:
		return fmt.Sprintf("the operator writes %s, and is called for that, %d times so far", what, e.Rounds)
	}
}

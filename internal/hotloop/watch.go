package hotloop

import (
	"hash/maphash"
	"slices"
	"time"

	"github.com/delta-runtime/delta-runtime/internal/base/lock"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

const (
	// often is how many deltas a request must have been called for before it is looked at. A Pod that starts has
	// five, and the first look of a process waits for schemas, which cost more than thousands of calls.
	often = 6
	// remembered is how many episodes that ended are kept.
	remembered = 64
	// atOnce is how many episodes of one request there are at most.
	atOnce = 4
	// mostRequests is how many requests are watched. Those that were called last stay.
	mostRequests = 4096
	// slowest is the longest time from one write to the next that may belong to a fight. Slower ones cost nobody
	// much, and honest managers take turns at such a pace: one wakes a workload, and another puts it to sleep when
	// it is idle.
	slowest = 2 * time.Minute
	// idle is after how much quiet a request is forgotten: nothing lasts longer. A mean round is as long as slowest
	// at most, and an episode is over after three.
	idle = 3*slowest + longest
)

// Watch looks at the calls of one controller.
type Watch[R comparable] struct {
	deferred bool
	seed     maphash.Seed

	mu       lock.Mutex[lock.HotLoop] // guards everything below
	requests table[R]
	current  []*episode[R] // in the order in which they were found
	ended    []Episode[R]  // at most remembered, the latest last
}

// New returns a Watch that has seen nothing. If deferred, the caller holds requests back for as long as Defer says. Nothing
// can be seen of them meanwhile, so an episode goes on for that much longer.
func New[R comparable](deferred bool) *Watch[R] {
	return &Watch[R]{deferred: deferred, seed: maphash.MakeSeed(), requests: newTable[R](mostRequests)}
}

// Called notes a call of the reconciler for a request, and what the call is told. Each call's time
// must be no earlier than that of the call before. The Episode is empty if the verdict is Calm. If several are under way it is the one
// that was found last. After a panic the calls of the request only count.
func (w *Watch[R]) Called(r R, changes delta.Changes, at time.Time) (Episode[R], Verdict) {
	deltas, listed := 0, changes.Len() > 0
	for c := range changes.All() {
		deltas += max(1, c.Deltas)
		listed = listed && (c.Cause == delta.InitialList || c.Cause == delta.Restart)
	}
	if listed && !w.knows(r) {
		return Episode[R]{}, Calm // a start calls everything once, and would push out what is called often
	}
	t := w.begin(r, deltas, at)
	if t == nil {
		return w.judge(r, nil, at)
	}
	signs := t.look(changes, at)
	w.mu.Lock()
	t.busy = false
	w.mu.Unlock()
	return w.judge(r, signs, at)
}

// knows reports whether a request is one of those watched.
func (w *Watch[R]) knows(r R) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, known := w.requests.byRequest[r]
	return known
}

// begin counts a call. It returns the trail of the request if the call is worth a look.
func (w *Watch[R]) begin(r R, deltas int, at time.Time) *trail {
	w.mu.Lock()
	defer w.mu.Unlock()
	e, evicted := w.requests.touch(r)
	if evicted != nil {
		w.forgetLocked(evicted, at)
	}
	var held time.Duration // it is held back for so long, and would be called sooner
	if w.deferred && w.latestLocked(r) != nil {
		held = longest
	}
	if at.Sub(e.last) > idle {
		e.deltas = 0
	}
	e.last = at
	for quiet := w.requests.idle(at.Add(-idle)); quiet != nil; quiet = w.requests.idle(at.Add(-idle)) {
		w.forgetLocked(quiet, at)
	}
	e.deltas += deltas
	if e.deltas < often || e.trail != nil && e.trail.busy {
		return nil
	}
	if e.trail == nil {
		e.trail = newTrail(w.seed)
	}
	e.trail.held = held
	e.trail.busy = true
	if e.trail.over {
		e.trail.restart()
	}
	return e.trail
}

// forgetLocked ends the episodes of a request that is no longer watched.
func (w *Watch[R]) forgetLocked(gone *entry[R], at time.Time) {
	w.endLocked(at, func(e *episode[R]) bool { return e.Request == gone.request })
}

// judge makes episodes of what a call has shown.
func (w *Watch[R]) judge(r R, signs []sign, at time.Time) (Episode[R], Verdict) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range signs {
		w.noteLocked(r, &signs[i])
	}
	over := false
	if len(w.current) > 0 {
		over = w.endLocked(at, func(e *episode[R]) bool { return e.Request == r && w.isOver(e, at) })
	}
	known := w.latestLocked(r)
	switch {
	case known == nil && over:
		return w.ended[len(w.ended)-1], Over
	case known == nil:
		return Episode[R]{}, Calm
	case known.told:
		return known.shown(), Continues
	default:
		known.told = true
		return known.shown(), Found
	}
}

// shown is a copy for somebody else.
func (e *episode[R]) shown() Episode[R] {
	shown := e.Episode
	shown.Paths, shown.Managers = slices.Clone(e.Paths), slices.Clone(e.Managers)
	return shown
}

// latestLocked returns the episode of a request to speak of: one that nobody was told of, or the
// latest.
func (w *Watch[R]) latestLocked(r R) (latest *episode[R]) {
	for _, e := range w.current {
		if e.Request == r && (latest == nil || latest.told) {
			latest = e
		}
	}
	return latest
}

// noteLocked counts a sign for its episode, or begins one.
func (w *Watch[R]) noteLocked(r R, s *sign) {
	of := 0
	for _, e := range w.current {
		if e.Request != r {
			continue
		}
		if of++; !s.of(e.Pattern, e.object, e.pair) {
			continue
		}
		most, paths := s.within(e.Paths)
		if most.returns > 0 && !w.isOver(e, most.first) { // else it ends, and the next needs proof of its own
			e.looks++
			e.count(most.returns, most.last)
			e.Paths = paths
		}
		return
	}
	paths, row := s.proof()
	if len(paths) == 0 || of >= atOnce {
		return
	}
	e := &episode[R]{object: s.object, pair: s.pair, looks: row.looks}
	e.Episode = Episode[R]{
		Request: r, Pattern: s.pattern, Kind: s.object.kind, Key: s.object.key, Paths: paths, Began: row.began,
		Managers: slices.DeleteFunc(slices.Clone(s.pair[:]), func(m string) bool { return m == "" }),
	}
	e.count(row.run, row.last)
	e.found = e.Rounds
	w.current = append(w.current, e)
}

// isOver reports whether an episode has been quiet for so long that it is over.
func (w *Watch[R]) isOver(e *episode[R], at time.Time) bool { return at.After(w.end(e)) }

// end is when an episode is over if nothing more comes.
func (w *Watch[R]) end(e *episode[R]) time.Time {
	quiet := e.quiet()
	if w.deferred {
		quiet += Defer(e.Episode)
	}
	return e.Last.Add(quiet)
}

// endLocked ends the episodes that are over, and reports whether there were any.
func (w *Watch[R]) endLocked(at time.Time, over func(*episode[R]) bool) bool {
	before := len(w.current)
	w.current = slices.DeleteFunc(w.current, func(e *episode[R]) bool {
		if !over(e) {
			return false
		}
		w.closeLocked(e, at)
		return true
	})
	return len(w.current) < before
}

// closeLocked notes the end of an episode, and has the request start the count again.
func (w *Watch[R]) closeLocked(e *episode[R], at time.Time) {
	if e.Ended = w.end(e); e.Ended.After(at) { // it had to go
		e.Ended = at
	}
	if len(w.ended) == remembered {
		w.ended = slices.Delete(w.ended, 0, 1)
	}
	w.ended = append(w.ended, e.shown())
	if known, ok := w.requests.byRequest[e.Request]; ok && known.trail != nil {
		known.trail.over = true
	}
}

// Episodes returns those that are under way at a time, and then the last ones that ended, each the
// latest first. It ends none: the next call of the request does, and is told.
func (w *Watch[R]) Episodes(at time.Time) (all []Episode[R]) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var over []Episode[R]
	for _, e := range slices.Backward(w.current) {
		shown := e.shown()
		if w.isOver(e, at) {
			shown.Ended = w.end(e)
			over = append(over, shown)
			continue
		}
		all = append(all, shown)
	}
	all = append(all, over...)
	for _, e := range slices.Backward(w.ended) {
		all = append(all, e)
	}
	return all
}

package reflector

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
)

// A server that was restored from a backup accepts a watch from a version in its future without a word: the watch brings
// nothing until the server has reached that version again, and then goes on in a history that is not ours. So the server
// is asked for its version when there is reason to:
//
//	the server was away ─────────────────────┐
//	a watch ended before its time            │
//	a watch brought nothing at all           ├─▶ ask ── older than ours ──▶ list
//	a bookmark is older than what we have ───┘    └──── not older ──▶ watch
//	an event is older than what we have ─────────────────────────────▶ list
//
// One that was away for long may have caught up meanwhile. Then no version tells, and the next watch is cut short for a list.

const (
	// unheardAfter is how long a watch may bring nothing after the server may have been away: time for one bookmark.
	unheardAfter = 90 * time.Second
	// longAway is how long a server has to be away before it may have been restored
	// and have caught up. Nobody restores a backup in less.
	longAway = 10 * time.Second
	// recheckAfter is when the list comes that checks on a server that was away for
	// long, up to doubled by chance, so that not all clients list at once.
	recheckAfter = 30 * time.Second
)

// errDoubt ends a watch because the server has to be asked for its version, and
// errRecheck because a list is due. Neither is a failure. errRewound ends it because it
// tells of another history.
var (
	errDoubt   = errors.New("the server has to be asked for its version")
	errRecheck = errors.New("a list is due since the server was away")
	errRewound = errors.New("an event is older than what is known")
)

// doubts is what speaks for and against our version still being one of the server's
// history.
type doubts struct {
	// ordered means that the server has sent a bookmark, so it has Kubernetes' idea of versions: that of a list can
	// be compared with that of an event.
	ordered bool
	// bookmarks means that it has sent one during a watch. It sends one whenever it has got further, so silence means
	// that nothing happens, or that it is not heard.
	bookmarks bool
	// unheard means that nothing has come from the server since it was away, or may
	// have been.
	unheard bool
	// ask means that the server is asked before the next watch.
	ask bool

	// awayFrom is when an attempt found no server, the first one since the last watch.
	awayFrom time.Time
	// recheck is when a list is due because the server was away for long, however many
	// watches there are until then; zero is never.
	recheck time.Time

	// behind means that the server was seen at an older version: what it lists is
	// another history, even if it has caught up by then.
	behind bool

	// watched means that a watch was open since the last list, and closed is when the last
	// one ended.
	watched bool
	closed  time.Time
	// untold means that none was open for a while since then.
	untold bool
}

// listed forgets all doubts: what the server has listed is its present history.
func (d *doubts) listed() {
	*d = doubts{ordered: d.ordered, bookmarks: d.bookmarks}
}

// away notes an attempt at now that found no server.
func (d *doubts) away(now time.Time) {
	if d.awayFrom.IsZero() {
		d.awayFrom = now
	}
	d.unheard, d.ask = true, d.ask || d.ordered
}

// ended notes that the server has ended a watch that has brought so many events. Before its time is what a server
// does that goes down. One that has brought nothing may be from a future that the server has not reached.
func (d *doubts) ended(events int, early bool) {
	d.unheard = d.unheard || early
	d.ask = d.ask || events == 0
}

// back notes that the server has opened a watch at now, and reports whether it was away for long: all the time since
// it was first missed, as it may have been restored between two attempts.
func (d *doubts) back(now time.Time) (long bool) {
	long = !d.awayFrom.IsZero() && now.Sub(d.awayFrom) >= longAway
	d.untold = d.untold || d.watched && !d.told(now)
	d.awayFrom, d.watched = time.Time{}, true
	return long
}

// failed notes an attempt to watch or to list that failed. Meanwhile no watch was open.
func (d *doubts) failed() { d.untold = true }

// told reports whether watches have told, until now, of all that has happened since the last list.
func (d *doubts) told(now time.Time) bool {
	return d.watched && !d.untold && now.Sub(d.closed) < longAway
}

// patience is how long a watch may bring nothing at all before the server is asked;
// zero is for ever. stallAfter is how long it may be silent otherwise.
func (d *doubts) patience(stallAfter time.Duration) time.Duration {
	switch {
	case stallAfter < 0:
		return 0
	case d.unheard:
		return unheardAfter
	case d.bookmarks:
		return stallAfter
	default:
		return 0
	}
}

// lookOut sets the timers of a watch that has just been opened.
func (r *Reflector[T]) lookOut(s *session[T]) {
	if r.doubts.back(r.opts.Now()) {
		r.doubts.recheck = r.opts.Now().Add(r.recheckIn())
	}
	if due := r.doubts.recheck; !due.IsZero() {
		s.endAfter(due.Sub(r.opts.Now()), errRecheck)
	}
	if d := r.doubts.patience(r.opts.StallAfter); d > 0 {
		s.endOnSilence(d, errDoubt)
	}
}

// recheckIn is how long to wait before a list that checks on the server.
func (r *Reflector[T]) recheckIn() time.Duration {
	return recheckAfter + time.Duration(r.random()*float64(recheckAfter))
}

// heard adjusts them to what the watch has brought.
func (r *Reflector[T]) heard(s *session[T], event *listwatch.Event[T]) {
	r.doubts.unheard = false
	if event.IsBookmark() {
		r.doubts.ordered, r.doubts.bookmarks = true, true
	}
	switch {
	case !r.doubts.bookmarks || r.opts.StallAfter < 0:
		s.endOnSilence(0, nil)
	case !errors.Is(s.silent, ErrStalled):
		s.endOnSilence(r.opts.StallAfter, ErrStalled)
	}
}

// lost notes that a watch was refused, or was ended, by err.
func (r *Reflector[T]) lost(err error) {
	if isAway(err) {
		r.doubts.away(r.opts.Now())
	}
}

// ask finds out by a list of one object whether the server has gone back to before our version.
func (r *Reflector[T]) ask(ctx context.Context) (step, error) {
	r.enter(Watching)
	page, err := r.readPage(ctx, nil, metav1.ListOptions{Limit: 1})
	switch {
	case ctx.Err() != nil:
		return nil, nil //nolint:nilerr // a caller that has left is not a failure
	case err != nil:
		r.lost(err)
		failed := r.fail(ctx, Watching, fmt.Errorf("ask for the server's version: %w", err))
		if classify(err).keepsPosition() {
			return r.pause(failed, r.watch), nil
		}
		return nil, failed
	}
	r.hears()
	r.doubts.ask, r.doubts.unheard = false, false
	if Older(page.Version, r.at.version) {
		_ = r.fail(ctx, Watching, fmt.Errorf("%w: to version %s", ErrWentBack, page.Version))
		r.at.gone, r.doubts.behind = true, true
		return r.start(), nil
	}
	return r.watch, nil
}

// wentBack deals with an event of another history: a list is due at once. A server that never sends a bookmark may
// give each object versions of its own, and one may go back again and again: then a list now and then has to do.
func (r *Reflector[T]) wentBack(s *session[T]) error {
	r.doubts.behind = true
	now := r.opts.Now()
	if r.doubts.ordered && (r.rewound.IsZero() || now.Sub(r.rewound) >= recheckAfter) {
		r.rewound = now
		return errRewound
	}
	if r.doubts.recheck.IsZero() {
		r.doubts.recheck = now.Add(r.recheckIn())
		s.endAfter(r.doubts.recheck.Sub(now), errRecheck)
	}
	return nil
}

// Some servers give an object other content without another version: one that was restored, that converts by a webhook, or
// whose defaults have changed. While a watch is open it tells of that. So a version in a list is believed if watches were
// open all the time since the last list.

// inNewHistory reports whether a list at version shows that the server went back in time.
func (r *Reflector[T]) inNewHistory(version string) bool {
	return r.doubts.behind || Older(version, r.at.version)
}

// trusting returns the context of a list. In it a ListWatcher may take an object for known because of its version,
// unless contents are to be compared, as for a list that somebody asks for.
func (r *Reflector[T]) trusting(ctx context.Context) context.Context {
	r.compares = r.distrust || r.reason == Requested || !r.doubts.told(r.opts.Now())
	if r.compares {
		return listwatch.Distrust(ctx)
	}
	return ctx
}

// misled reports whether objects of a list were taken for known that may be others, as only its end says at which
// version it is. It is then read once more.
func (r *Reflector[T]) misled(list *snapshot[T], version string) bool {
	r.distrust = list.known && r.inNewHistory(version)
	return r.distrust
}

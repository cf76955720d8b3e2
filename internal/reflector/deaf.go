package reflector

import (
	"errors"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// deafAfter is how long the server has to be unheard before the log says so. Most
// connections that break are open again sooner.
const deafAfter = 5 * time.Second

// deaf notes when the server was last heard, if err is the first failure since. A watch that
// was silent for too long was not heard all that time.
func (r *Reflector[T]) deaf(s *informer.ReflectorStatus, now time.Time, err error) {
	if !s.DeafSince.IsZero() {
		return
	}
	s.DeafSince = now
	if errors.Is(err, ErrStalled) && r.opts.StallAfter > 0 {
		s.DeafSince = now.Add(-r.opts.StallAfter)
	}
}

// sayDeaf writes one line for each time that the server is gone for longer than a moment. It
// comes before a wait, which ends at next. A kind that is degraded has a line of its own.
func (r *Reflector[T]) sayDeaf(next time.Time) {
	s := r.Status()
	if r.saidDeaf || s.DeafSince.IsZero() || !s.DegradedSince.IsZero() || next.Sub(s.DeafSince) < deafAfter {
		return
	}
	r.saidDeaf = true
	shows := "nothing yet"
	if s.SyncedOnce {
		shows = "version " + s.Version
	}
	r.opts.Logger.Info("kind is deaf: it cannot follow the server, and tries again and again",
		"kind", r.opts.Kind, "since", s.DeafSince, "shows", shows, "nextTry", next, "reason", s.LastError.Error())
}

// hears notes that the server has answered with a list or a watch.
func (r *Reflector[T]) hears() {
	r.note(func(s *informer.ReflectorStatus) { s.DeafSince = time.Time{} })
}

// sayHears ends what sayDeaf began, once a watch is open: a server that answers lists alone is
// not heard.
func (r *Reflector[T]) sayHears() {
	if r.saidDeaf {
		r.saidDeaf = false
		r.opts.Logger.Info("kind hears the server again", "kind", r.opts.Kind, "version", r.at.version)
	}
}

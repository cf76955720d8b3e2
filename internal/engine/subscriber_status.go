package engine

import (
	"fmt"
	"time"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// progress is what is known from outside about the call that a subscriber's
// handler is in. The subscriber itself does not look at the clock for every event.
type progress struct {
	calls uint64    // steps when last looked at
	since time.Time // the first look that found it there
	slow  bool      // past the high-water mark, and warned about
	stuck uint64    // the call that was warned about
	first bool      // a first list that takes long was warned about
}

// look notes how far the handler is, and returns since when it has been there.
func (p *progress) look(calls uint64, now time.Time) time.Time {
	if p.calls != calls || p.since.IsZero() {
		p.calls, p.since = calls, now
	}
	return p.since
}

func (l *subscriber[T]) status(now time.Time) informer.SubscriberStatus {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.statusLocked(now)
}

func (l *subscriber[T]) statusLocked(now time.Time) informer.SubscriberStatus {
	s := informer.SubscriberStatus{
		Name: l.opts.Name, Number: l.number,
		Told: l.calls.Load(), Synced: l.isSynced, Slow: l.progress.slow,
	}
	if l.gone.Load() {
		return s
	}
	s.Lag = l.lagLocked()
	oldest := l.taken.at
	busy := l.busy.Load()
	if !busy {
		_, oldest = l.place.peek()
	}
	if !oldest.IsZero() {
		s.OldestAge = max(0, now.Sub(oldest))
	}
	if busy {
		s.InHandlerSince = l.progress.look(s.Told, now)
	}
	return s
}

// lag is how many events the subscriber has yet to be told.
func (l *subscriber[T]) lag() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gone.Load() {
		return 0
	}
	return l.lagLocked()
}

func (l *subscriber[T]) lagLocked() uint64 {
	lag := l.untakenLocked()
	if l.busy.Load() {
		lag += max(l.taken.end, l.calls.Load()) - l.calls.Load() + 1 // and the call that is under way
	}
	return lag
}

// untakenLocked is the lag without what is being told.
func (l *subscriber[T]) untakenLocked() uint64 {
	return l.of.log.length() - l.place.position()
}

// warn names, once per episode, each subscriber that is too far behind or has been
// in one call for too long.
func (p *processor[T]) warn(now time.Time) {
	for _, l := range *p.subscribers.Load() {
		if complaint, s := l.complaint(now); complaint != "" {
			p.logger.Info(complaint, "subscriber", s.Name, "lag", s.Lag, "oldest", s.OldestAge.String(),
				"told", s.Told, "inHandlerFor", inHandlerFor(s, now).String())
		}
	}
}

func inHandlerFor(s informer.SubscriberStatus, now time.Time) time.Duration {
	if s.InHandlerSince.IsZero() {
		return 0
	}
	return now.Sub(s.InHandlerSince)
}

// longFirst is how long a subscriber may be told the first list before the log says how much of
// it is left. A manager gives its controllers two minutes to sync.
const longFirst = 10 * time.Second

// isLongInFirst reports whether the first list takes the handler long, once. Before the whole
// list is there, nobody knows how much of it is left.
func (l *subscriber[T]) isLongInFirst(age time.Duration) bool {
	return !l.progress.first && !l.isSynced && l.syncAt.Load() != never && l.busy.Load() && age >= longFirst
}

// complaint says what is newly wrong with the subscriber. A burst that it gets through between two looks is nothing.
// An episode of slowness ends at half the high-water mark, so that hovering at the mark is one episode.
func (l *subscriber[T]) complaint(now time.Time) (string, informer.SubscriberStatus) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.statusLocked(now)
	if l.gone.Load() { // it has no place any more, to say how far it is behind
		return "", s
	}
	if l.isLongInFirst(s.OldestAge) {
		l.progress.first = true
		return "Handler takes long for the first list", s
	}
	behind := s.Lag
	if l.taken.first && l.busy.Load() { // a backlog costs memory and grows, and a snapshot does not
		behind = l.untakenLocked()
	}
	wasSlow := l.progress.slow
	l.progress.slow = behind > l.opts.HighWater && s.OldestAge >= watchEvery || wasSlow && behind > l.opts.HighWater/2
	if l.progress.slow && !wasSlow {
		return fmt.Sprintf("Subscriber is more than %d events behind", l.opts.HighWater), s
	}
	took := inHandlerFor(s, now)
	if took < l.opts.Stuck || l.progress.stuck == s.Told {
		return "", s
	}
	l.progress.stuck = s.Told
	return "Handler has not returned for " + took.Round(time.Second).String(), s
}

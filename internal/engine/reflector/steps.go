package reflector

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// This file is the state machine of doc.go: one function for each state, in the order in which they are normally passed.
// Any of them may wait and then go on where it was, or end the cycle. Recover decides how long to wait before the next.

// start chooses how to read the list.
func (r *Reflector[T]) start() step {
	if r.opts.Lists == informer.StreamFirst && !r.opts.Now().Before(r.streamFrom) {
		return r.stream(1)
	}
	return r.list
}

// maxStreamTries is how often a streaming list may break off before a list in pages is read instead. One break is an
// API server that restarts.
const maxStreamTries = 3

// stream reads the list as the initial events of a watch, which then goes on as
// the watch that follows the list.
func (r *Reflector[T]) stream(try int) step {
	return func(ctx context.Context) (step, error) {
		if !r.takeTurn(ctx) {
			return nil, nil
		}
		defer r.giveTurn()
		r.beginList()
		r.enter(Streaming)
		s := newSession[T](r.trusting(ctx), r.opts.Now())
		followed := false
		defer func() {
			if !followed { // also when a transform panics
				s.close()
			}
		}()
		list, end, err := r.collect(ctx, s)
		if err == nil && r.misled(list, end) {
			return r.stream(try), nil
		}
		if err == nil {
			r.doubts.ordered, s.exact = true, true
			next, err := r.adopt(ctx, list, end, r.follow(s))
			followed = err == nil
			return next, err
		}
		tooShort := s.short(r.opts.Now())
		s.close()
		if ctx.Err() != nil {
			return nil, nil
		}
		failed := r.fail(ctx, Streaming, err)
		switch kind := classify(err); {
		case kind.keepsPosition():
			return r.pause(failed, r.stream(try)), nil
		case kind.lostVersion() && !r.at.gone:
			r.at.gone = true
			return r.stream(try), nil
		case errors.Is(err, io.EOF) && !tooShort && try < maxStreamTries:
			return r.stream(try + 1), nil
		}
		r.outdone = errors.Is(err, ErrStreamIncomplete) || !isStreamUnsupported(err)
		if isStreamUnsupported(err) {
			r.streamFrom = r.opts.Now().Add(r.opts.StreamRest)
		}
		return r.list, nil
	}
}

// list reads the whole list in pages.
func (r *Reflector[T]) list(ctx context.Context) (step, error) {
	if !r.takeTurn(ctx) {
		return nil, nil
	}
	defer r.giveTurn()
	r.beginList()
	r.enter(Listing)
	list, version, err := r.readPages(r.trusting(ctx))
	switch {
	case err == nil && r.misled(list, version):
		return r.list, nil
	case err == nil:
		return r.adopt(ctx, list, version, r.watch)
	case ctx.Err() != nil:
		return nil, nil
	}
	failed := r.fail(ctx, Listing, err)
	if classify(err).lostVersion() && !r.at.gone {
		r.at.gone = true
		return r.list, nil
	}
	return nil, failed
}

// adopt hands a whole list to the sink.
func (r *Reflector[T]) adopt(ctx context.Context, list *snapshot[T], version string, next step) (step, error) {
	list.Version, list.NewHistory, list.Compared = version, r.inNewHistory(version), r.compares
	list.finish()
	if list.NewHistory {
		r.opts.Logger.Info("server went back in time", "kind", r.opts.Kind, "from", r.at.version, "to", version)
	}
	if !r.listed.IsZero() {
		r.opts.Tally.relists.Add(1)
	}
	r.hears() // before anybody sees the list, and asks how the kind is, or how many lists there were
	r.opts.Tally.lists[r.reason].Add(1)
	if err := r.sink.Replace(list.objs, list.Replacement); err != nil {
		return nil, r.fail(ctx, r.Status().State, fmt.Errorf("hand on the list: %w", err))
	}
	r.at = position{version: version}
	r.expired, r.recheck, r.distrust, r.outdone = false, false, false, false
	r.listed, r.unsure = r.opts.Now(), list.Partial
	r.failures.listed(r.listed)
	r.doubts.listed()
	r.note(func(s *informer.ReflectorStatus) {
		s.Version, s.SyncedOnce, s.ListedAt = version, true, r.listed
	})
	r.relists.serve() // last: who has waited for the list finds it in the status
	return next, nil
}

// watch asks for changes after our position.
func (r *Reflector[T]) watch(ctx context.Context) (step, error) {
	if ctx.Err() != nil {
		return nil, nil //nolint:nilerr // to be told to stop is not a failure
	}
	if r.relists.wanted() { // also where a failure was waited out before this
		return r.start(), nil
	}
	if r.doubts.ask {
		return r.ask, nil
	}
	r.enter(Watching)
	s := newSession[T](ctx, r.opts.Now())
	s.inOrder, s.exact = r.at.exact(), r.at.exact()
	timeout := r.watchTimeout()
	// Some proxies hold the answer back until there is an event to send with it,
	// so no answer means nothing until the server must have ended the watch.
	s.endAfter(time.Duration(*timeout)*time.Second+time.Minute, ErrNoAnswer)
	over := r.relists.during(func() { s.cancel(errRelist) })
	err := s.open(r.lw, metav1.ListOptions{
		ResourceVersion:     r.at.version,
		AllowWatchBookmarks: true,
		TimeoutSeconds:      timeout,
	})
	over()
	if err == nil {
		s.relax()
		return r.follow(s), nil
	}
	s.close()
	if ctx.Err() != nil {
		return nil, nil //nolint:nilerr // to be told to stop is not a failure
	}
	if errors.Is(err, errRelist) {
		return r.start(), nil
	}
	r.lost(err)
	failed := r.fail(ctx, Watching, err)
	if classify(err).keepsPosition() {
		return r.pause(failed, r.watch), nil
	}
	return nil, failed
}

// follow hands on what a watch brings until the watch ends.
func (r *Reflector[T]) follow(s *session[T]) step {
	return func(ctx context.Context) (step, error) {
		defer s.close()
		r.enter(Following)
		r.openedWatch()
		r.hears()
		defer r.endOutage()()
		// The list that a stream brought before has taken its time, too. It says
		// nothing about how well the watch goes.
		began, from := r.opts.Now(), r.at.version
		r.lookOut(s)
		over := r.relists.during(func() { s.cancel(errRelist) })
		err := r.handOn(ctx, s)
		r.doubts.closed = r.opts.Now()
		over()
		if ctx.Err() != nil {
			return nil, nil
		}
		lasted := r.opts.Now().Sub(began)
		if lasted >= r.opts.HealthyAfter {
			r.failures.forget() // what failed before this watch is over
		}
		if s.events > 0 && r.at.version != from {
			r.brief = 0 // it brought something new, however soon it ended
		}
		return r.afterWatch(ctx, s, lasted, err)
	}
}

// afterWatch is what comes after a watch that has lasted so long and was ended by err.
func (r *Reflector[T]) afterWatch(ctx context.Context, s *session[T], lasted time.Duration, err error) (step, error) {
	switch {
	case errors.Is(err, errRelist):
		return r.start(), nil
	case errors.Is(err, errRecheck):
		return r.listToCheck(), nil
	case errors.Is(err, errRewound):
		_ = r.fail(ctx, Following, fmt.Errorf("%w: %w", ErrWentBack, err))
		return r.start(), nil
	case errors.Is(err, errDoubt):
		r.doubts.ask = true
		return r.unhurried(ctx, lasted, r.resume()), nil
	case errors.Is(err, io.EOF) && !s.short(r.opts.Now()):
		r.doubts.ended(s.events, s.early(r.opts.Now()))
		r.recovered()
		return r.unhurried(ctx, lasted, r.resume()), nil
	case errors.Is(err, io.EOF):
		err = ErrShortWatch
	}
	r.lost(err)
	failed := r.fail(ctx, Following, err)
	kind := classify(err)
	switch {
	case errors.Is(err, ErrStalled):
		return r.resume(), nil
	case kind.keepsPosition():
		return r.pause(failed, r.watch), nil
	case kind == failedInternal && r.internal.retry(r.opts.Now(), r.opts.InternalErrorRetry):
		return r.watch, nil
	}
	return nil, failed
}

const (
	// maxBrief is how many watches in a row may end within a second and bring nothing new
	// before the next has to wait. One that ends soon may be an accident.
	maxBrief = 3
	// briefRest is how long it waits, up to doubled by chance.
	briefRest = time.Second
)

// unhurried keeps next waiting if the server ends watches as soon as they are open, and none brings anything new. One
// that has more to tell than a watch holds ends it, too, and has the rest for the next at once.
func (r *Reflector[T]) unhurried(ctx context.Context, lasted time.Duration, next step) step {
	if lasted >= time.Second {
		r.brief = 0
		return next
	}
	r.brief++
	if r.brief <= maxBrief {
		return next
	}
	if r.brief == maxBrief+1 { // and not each time
		_ = r.fail(ctx, Following, ErrBriefWatches)
	}
	return func(ctx context.Context) (step, error) {
		r.rest(ctx, BackingOff, briefRest+time.Duration(r.random()*float64(briefRest)), nil)
		return next, nil
	}
}

// resume is what comes after a watch that has had its time. An event that was left out may
// have been a deletion, which nobody will tell us of again, so list now and then.
func (r *Reflector[T]) resume() step {
	if r.unsure && r.opts.Now().Sub(r.listed) >= r.opts.WatchTimeout {
		return r.listToCheck()
	}
	return r.watch
}

// listToCheck lists because something may have been missed.
func (r *Reflector[T]) listToCheck() step {
	r.recheck = true
	return r.start()
}

// pause waits out a failure that leaves our position as it was.
func (r *Reflector[T]) pause(failed error, next step) step {
	return func(ctx context.Context) (step, error) {
		r.wait(ctx, BackingOff, failed)
		return next, nil
	}
}

// expiredInHealth reports whether err ended a watch that had been going on for
// long enough to take the expiry for an accident, after which to list at once.
func (r *Reflector[T]) expiredInHealth(err error) bool {
	var failed *Error
	return errors.As(err, &failed) &&
		(failed.During == Watching || failed.During == Following) &&
		classify(err).lostVersion() &&
		r.opts.Now().Sub(r.listed) >= r.opts.HealthyAfter
}

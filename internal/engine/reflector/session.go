package reflector

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// session is one watch request, from asking for it to closing it. Its timers cut it by ending its context. They are
// real time even where an adapter sets the clock: they guard against a connection.
type session[T any] struct {
	stream listwatch.Stream[T]
	ctx    context.Context
	cancel context.CancelCauseFunc
	asked  time.Time // by the Reflector's clock
	until  time.Time // when the server is to end it, by the same clock
	events int

	deadline *time.Timer   // ends the session however busy it is; nil is never
	silence  *time.Timer   // ends the session that is silent for limit; nil is never
	limit    time.Duration // of silence
	silent   error         // why silence ends it

	// inOrder is false while the present objects may still be coming, in no
	// order: until then no version seen is a position to resume from.
	inOrder bool
	// exact means that each event is to be newer than the one before, and than our position.
	exact bool
}

// newSession prepares a session that ends with ctx.
func newSession[T any](ctx context.Context, now time.Time) *session[T] {
	s := &session[T]{asked: now}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	return s
}

// endAfter ends the session with err once d has passed, whatever it brings.
func (s *session[T]) endAfter(d time.Duration, err error) {
	s.deadline = time.AfterFunc(d, func() { s.cancel(err) })
}

// endOnSilence ends the session with err once it has brought nothing for d, and in
// no other case of silence. Zero is for ever.
func (s *session[T]) endOnSilence(d time.Duration, err error) {
	if s.silence != nil {
		s.silence.Stop()
		s.silence = nil
	}
	s.limit, s.silent = d, err
	if d == 0 {
		return
	}
	s.silence = time.AfterFunc(d, func() {
		s.cancel(fmt.Errorf("%w: nothing came for %v", err, d))
	})
}

// relax takes back endAfter and endOnSilence.
func (s *session[T]) relax() {
	if s.deadline != nil {
		s.deadline.Stop()
		s.deadline = nil
	}
	s.endOnSilence(0, nil)
}

// open asks the server for the watch.
func (s *session[T]) open(lw listwatch.ListWatcher[T], opts metav1.ListOptions) error {
	if opts.TimeoutSeconds != nil {
		s.until = s.asked.Add(time.Duration(*opts.TimeoutSeconds) * time.Second)
	}
	stream, err := lw.Watch(s.ctx, opts)
	if err == nil && stream == nil {
		err = errors.New("no watch and no error was returned")
	}
	if err != nil {
		return s.why(err)
	}
	s.stream = stream
	return nil
}

// next waits for an event.
func (s *session[T]) next() (listwatch.Event[T], error) {
	event, err := s.stream.Next(s.ctx)
	if err != nil {
		return event, s.why(err)
	}
	if s.silence != nil {
		s.silence.Reset(s.limit)
	}
	if event.Err == nil {
		s.events++
		s.inOrder = s.inOrder || event.Op != delta.Added
	}
	return event, nil
}

// why is the reason for err: our own where the session was cut by a timer, which
// the stream can know as an ended context only.
func (s *session[T]) why(err error) error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	return err
}

// short reports whether the session brought nothing and ended at once, as with a
// proxy that cannot carry watches.
func (s *session[T]) short(now time.Time) bool {
	return s.events == 0 && now.Sub(s.asked) < time.Second
}

// early reports whether the server has ended the session although it was not time yet.
func (s *session[T]) early(now time.Time) bool { return now.Before(s.until.Add(-time.Second)) }

// close ends the watch. It may be called more than once.
func (s *session[T]) close() {
	s.relax()
	if s.stream != nil {
		s.stream.Close()
	}
	s.cancel(context.Canceled)
}

package reflector

import (
	"context"
	"fmt"

	"github.com/delta-runtime/delta-runtime/internal/listwatch"
)

// handOn reads events until there are no more, and returns why.
func (r *Reflector[T]) handOn(ctx context.Context, s *session[T]) error {
	for first := true; ; {
		event, err := s.next()
		if err != nil {
			return err
		}
		if event.IsBookmark() && Older(event.Version, r.at.version) {
			return errDoubt
		}
		back := r.goesBack(s, &event)
		if back {
			if err := r.wentBack(s); err != nil {
				return err
			}
		}
		if err := r.deliver(s, event, back); err != nil {
			r.unsure = true
			r.Skip(ctx, fmt.Errorf("take %s from a watch: %w", r.opts.Kind, err))
			continue
		}
		if first {
			r.recovered()
			first = false
		}
		r.heard(s, &event)
	}
}

// deliver hands one event to the sink. An event that the sink refuses has been
// seen all the same: asking for it again would bring the same refusal.
func (r *Reflector[T]) deliver(s *session[T], event listwatch.Event[T], back bool) error {
	if event.Err != nil {
		call(r.opts.Hooks.Unread)
		return event.Err
	}
	position := event.Version
	switch {
	case !s.inOrder:
		position = ""
	case back && r.doubts.ordered:
		position = r.at.version
	}
	err := r.handIn(event, position)
	r.moveTo(position)
	return err
}

func (r *Reflector[T]) handIn(event listwatch.Event[T], position string) error {
	if event.IsBookmark() {
		return r.sink.Bookmark(position)
	}
	return r.sink.Push(event.Delta, position)
}

// watchTimeout is the time after which the server is asked to end a watch.
func (r *Reflector[T]) watchTimeout() *int64 {
	seconds := int64(r.opts.WatchTimeout.Seconds() * (1 + r.random()))
	return &seconds
}

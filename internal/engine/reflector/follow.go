package reflector

import (
	"context"
	"fmt"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
)

// handOn reads events until there are no more, and returns why.
func (r *Reflector[T]) handOn(ctx context.Context, s *session[T]) error {
	for first := true; ; {
		event, err := s.next()
		if err != nil {
			return err
		}
		back := event.Err == nil && Older(event.Version, r.at.version)
		if back && event.IsBookmark() {
			return errDoubt
		}
		position := ""
		if s.inOrder && event.Err == nil {
			position = event.Version
		}
		if back && s.exact { // which no server sends that has one history
			if err := r.wentBack(s); err != nil {
				return err
			}
			if r.doubts.ordered {
				position = r.at.version
			}
		}
		err = r.deliver(&event, position)
		r.moveTo(position)
		if err != nil {
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

// deliver hands one event to the sink. One that the sink refuses has been seen all the same: asking for it again would
// bring the same refusal.
func (r *Reflector[T]) deliver(event *listwatch.Event[T], position string) error {
	switch {
	case event.Err != nil:
		call(r.opts.Unread)
		return event.Err
	case event.IsBookmark():
		return r.sink.Bookmark(position)
	default:
		return r.sink.Push(event.Delta, position)
	}
}

// watchTimeout is the time after which the server is asked to end a watch.
func (r *Reflector[T]) watchTimeout() *int64 {
	seconds := int64(r.opts.WatchTimeout.Seconds() * (1 + r.random()))
	return &seconds
}

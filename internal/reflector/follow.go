package reflector

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/delta-runtime/delta-runtime/internal/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/revision"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// handOn reads events until there are no more, and returns why.
func (r *Reflector[T]) handOn(ctx context.Context, s *session[T]) error {
	for first := true; ; {
		event, err := s.next()
		if err != nil {
			return err
		}
		if event.Err == nil && event.Type == watch.Bookmark && revision.Older(event.Version, r.at.version) {
			return errDoubt
		}
		if err := r.deliver(s, event); err != nil {
			r.unsure = true
			r.Skip(ctx, fmt.Errorf("take %s from a watch: %w", r.opts.Kind, err))
			continue
		}
		if first {
			r.recovered()
			first = false
		}
		r.heard(s, event.Type)
	}
}

// deliver hands one event to the sink. An event that the sink refuses has been
// seen all the same: asking for it again would bring the same refusal.
func (r *Reflector[T]) deliver(s *session[T], event listwatch.Event[T]) error {
	if event.Err != nil {
		call(r.opts.Hooks.Unread)
		return event.Err
	}
	version := event.Version
	if !s.inOrder {
		version = ""
	}
	err := r.push(event, version)
	r.moveTo(version)
	return err
}

func (r *Reflector[T]) push(event listwatch.Event[T], version string) error {
	switch event.Type {
	case watch.Added:
		return r.sink.Push(delta.Added, event.Object, version)
	case watch.Modified:
		return r.sink.Push(delta.Updated, event.Object, version)
	case watch.Deleted:
		return r.sink.Push(delta.Deleted, event.Object, version)
	case watch.Bookmark:
		return r.sink.Bookmark(version)
	case watch.Error: // comes as an error of Next
	}
	return fmt.Errorf("event has the unknown type %q", event.Type)
}

// watchTimeout is the time after which the server is asked to end a watch.
func (r *Reflector[T]) watchTimeout() *int64 {
	seconds := int64(r.opts.WatchTimeout.Seconds() * (1 + r.random()))
	return &seconds
}

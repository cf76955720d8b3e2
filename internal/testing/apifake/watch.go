package apifake

import (
	"context"
	"maps"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// Watch begins a watch. Options that make no sense are an error; every other refusal
// comes as the one event of the watch.
func (s *Server) Watch(ctx context.Context, o metav1.ListOptions) (*Stream, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a, err := s.check(o, true)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	st := &Stream{server: s, wants: a, deadline: began.Add(usualTimeout)}
	if o.TimeoutSeconds != nil && *o.TimeoutSeconds > 0 {
		st.deadline = began.Add(time.Duration(*o.TimeoutSeconds) * time.Second)
	}
	if err := s.admitLocked(ctx, st); err != nil {
		status, isStatus := err.(apierrors.APIStatus)
		if !isStatus {
			return nil, err
		}
		said := status.Status()
		st.ready = []watch.Event{{Type: watch.Error, Object: &said}}
		st.ended, st.refused = true, err
		return st, nil
	}
	st.start = st.position
	if missed := s.cache.after(st.position); len(missed) > 0 {
		st.start = missed[len(missed)-1].version
	}
	st.scheduleLocked(time.Now())
	s.streams[st] = struct{}{}
	return st, nil
}

// admitLocked decides from where a watch goes on and what it sends before.
func (s *Server) admitLocked(ctx context.Context, st *Stream) error {
	a := st.wants
	from := a.version
	if a.ResourceVersion == "" && a.SendInitialEvents != nil {
		from = s.etcd.version
	}
	if a.SendInitialEvents != nil && *a.SendInitialEvents {
		if err := s.reachLocked(ctx, from); err != nil {
			return err
		}
		s.beginLocked(st)
		if a.AllowWatchBookmarks {
			st.ready = append(st.ready, bookmark(s.cache.version, true))
		}
		return nil
	}
	if from == 0 {
		if a.SendInitialEvents == nil { // from before there were streaming lists
			s.beginLocked(st)
			return nil
		}
		from = s.cache.version
	}
	if from < s.cache.since {
		return expired(from, s.cache.since)
	}
	// A version from the future is as good as any: what comes until then is not sent.
	st.position = from
	return nil
}

// beginLocked has the stream send what there is.
func (s *Server) beginLocked(st *Stream) {
	for _, key := range slices.Sorted(maps.Keys(s.cache.objects)) {
		st.ready = append(st.ready, watch.Event{Type: watch.Added, Object: s.cache.objects[key].DeepCopy()})
	}
	st.position = s.cache.version
}

// event is what a watch says of a change.
func (c change) event() watch.Event {
	switch {
	case c.is == nil:
		last := c.was.DeepCopy()
		last.ResourceVersion = format(c.version)
		return watch.Event{Type: watch.Deleted, Object: last}
	case c.was == nil:
		return watch.Event{Type: watch.Added, Object: c.is.DeepCopy()}
	default:
		return watch.Event{Type: watch.Modified, Object: c.is.DeepCopy()}
	}
}

// bookmark is the event that says a version, and that the initial events are over.
func bookmark(version int64, endsInitial bool) watch.Event { //nolint:revive // flag-parameter: it is what the event says
	o := &Object{ObjectMeta: metav1.ObjectMeta{ResourceVersion: format(version)}}
	if endsInitial {
		o.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	}
	return watch.Event{Type: watch.Bookmark, Object: o}
}

// Refused is why a watch brings nothing but an error, or nil. Servers of other versions say
// it at once, instead of in an event.
func (st *Stream) Refused() error { return st.refused }

package apifake

import (
	"context"
	"io"
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// Stream is an open watch. Its fields are guarded by its server, except those that never
// change.
type Stream struct {
	server   *Server
	wants    asked
	deadline time.Time
	refused  error

	start    int64         // what was before is not news to the client
	position int64         // everything up to here is sent or ready
	ready    []watch.Event // to be sent next
	mark     time.Time     // when a bookmark is due; zero for never
	ended    bool          // nothing will follow what is ready
}

// Next waits for the next event. It returns io.EOF when the server has ended the watch.
func (st *Stream) Next(ctx context.Context) (watch.Event, error) {
	for {
		if err := ctx.Err(); err != nil {
			return watch.Event{}, err
		}
		event, changed, due := st.poll()
		switch {
		case event != nil:
			return *event, nil
		case changed == nil:
			return watch.Event{}, io.EOF
		}
		timer := time.NewTimer(time.Until(due))
		select {
		case <-changed:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// Close ends the watch. Events that were not taken are lost.
func (st *Stream) Close() {
	st.server.mu.Lock()
	defer st.server.mu.Unlock()
	st.ready = nil
	st.endLocked()
	st.server.wakeLocked()
}

func (st *Stream) endLocked() {
	st.ended = true
	delete(st.server.streams, st)
}

// poll is the next event, or else what to wait for; nothing of either at the end.
func (st *Stream) poll() (event *watch.Event, changed <-chan struct{}, due time.Time) {
	s := st.server
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if !now.Before(st.deadline) {
		st.endLocked()
	}
	if !st.ended {
		st.catchUpLocked()
		st.markLocked(now)
	}
	if len(st.ready) > 0 {
		first := st.ready[0]
		st.ready = st.ready[1:]
		return &first, nil, time.Time{}
	}
	if st.ended {
		return nil, nil, time.Time{}
	}
	due = st.deadline
	if !st.mark.IsZero() && st.mark.Before(due) {
		due = st.mark
	}
	return nil, s.changed, due
}

// catchUpLocked makes ready what the cache has learned.
func (st *Stream) catchUpLocked() {
	for _, c := range st.server.cache.after(st.position) {
		st.ready = append(st.ready, c.event())
		st.position = c.version
	}
}

// markLocked makes a bookmark ready if one is due and has news. It has none if nothing is
// known to have happened since the watch began, and so the watch may stay silent for ever;
// nor has it before a version from the future has come.
func (st *Stream) markLocked(now time.Time) {
	if st.mark.IsZero() || now.Before(st.mark) {
		return
	}
	if version := st.server.cache.version; version > st.start {
		st.ready = append(st.ready, bookmark(version, false))
	}
	st.scheduleLocked(now)
}

// scheduleLocked sets the time of the next bookmark. The last one comes a moment before
// the end, so that the next watch can go on from as late as possible.
func (st *Stream) scheduleLocked(now time.Time) {
	st.mark = time.Time{}
	if !st.wants.AllowWatchBookmarks {
		return
	}
	next := st.deadline.Add(-farewell)
	if every := st.server.o.Bookmarks; every > 0 && now.Add(every).Before(next) {
		next = now.Add(every)
	}
	if next.After(now) {
		st.mark = next
	}
}

package wireserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// A stream is one open watch.
type stream struct {
	server   *Server
	to       io.Writer
	flush    func() error
	asked    question
	position int // how many changes it has seen
}

// usualTimeout is how long a watch lasts if the client does not say.
const usualTimeout = 30 * time.Minute

// watch answers with a frame for each event until the client or the timeout ends it.
func (s *Server) watch(w http.ResponseWriter, r *http.Request, q question) error {
	lasts := usualTimeout
	if q.timeout > 0 {
		lasts = time.Duration(q.timeout) * time.Second
	}
	ctx, cancel := context.WithTimeout(r.Context(), lasts)
	defer cancel()
	t := &stream{server: s, asked: q}
	first, err := t.begin()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", q.format.watchType())
	defer t.open(w)()
	for _, object := range first {
		if err := t.send(watch.Added, object); err != nil {
			return nil // the client is gone, and so nobody can be told
		}
	}
	if q.initial {
		_ = t.ended()
	}
	t.follow(ctx)
	return nil
}

// open begins the answer. A watch that begins with a list is compressed for as long as it lasts,
// and other watches are not. The function that open returns ends the answer.
func (t *stream) open(w http.ResponseWriter) func() {
	flush := http.NewResponseController(w).Flush
	if !t.server.compresses || !t.asked.gzip || !t.asked.initial {
		t.to, t.flush = w, flush
		_ = t.flush() // the next one will say what is wrong
		return func() {}
	}
	squeezed := compressing(w)
	t.to, t.flush = squeezed, func() error { return errors.Join(squeezed.Flush(), flush()) }
	return func() { _ = squeezed.Close() }
}

// begin finds out where the watch begins, and what it sends before.
func (t *stream) begin() (first []image, err error) {
	s := t.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.asked.initial || t.asked.version == "" || t.asked.version == "0" {
		t.position = s.released
		return append(first, s.objects...), nil
	}
	version, err := strconv.ParseInt(t.asked.version, 10, 64)
	if err != nil {
		return nil, apierrors.NewBadRequest("resourceVersion: " + err.Error())
	}
	t.position = int(version - s.first)
	return nil, nil
}

// follow sends what happens.
func (t *stream) follow(ctx context.Context) {
	s := t.server
	for {
		s.mu.Lock()
		released, oldest, bell := s.released, s.oldest, s.bell
		s.mu.Unlock()
		if t.position < oldest {
			t.expired(oldest)
			return
		}
		for ; t.position < released; t.position++ {
			if err := t.send(watch.Modified, s.changes[t.position].to); err != nil || ctx.Err() != nil {
				return
			}
		}
		if err := t.flush(); err != nil {
			return
		}
		select {
		case <-bell:
		case <-ctx.Done():
			return
		}
	}
}

// send sends an event.
func (t *stream) send(what watch.EventType, object image) error {
	made, err := event(what, t.asked.format, t.server.GroupVersionKind, object[t.asked.format])
	if err != nil {
		return err
	}
	return frame(t.to, t.asked.format, made)
}

// ended sends the bookmark at the end of the initial events to a client that wants bookmarks.
func (t *stream) ended() error {
	if !t.asked.bookmarks {
		return nil
	}
	object, err := t.server.blank(t.server.versionAt(t.position))
	if err != nil {
		return err
	}
	return t.send(watch.Bookmark, object)
}

// expired says that the watch is too far behind.
func (t *stream) expired(oldest int) {
	s := t.server
	status := apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %s (%s)", s.versionAt(t.position), s.versionAt(oldest))).Status()
	object, err := encodeStatus(t.asked.format, status)
	if err != nil {
		return
	}
	// The envelope is around the status already.
	made := metav1.WatchEvent{Type: string(watch.Error)}
	made.Object.Raw = object
	_ = frame(t.to, t.asked.format, made)
}

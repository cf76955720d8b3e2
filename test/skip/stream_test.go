package skip

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// bookmarks is the time between two bookmarks of an idle watch.
const bookmarks = time.Minute

// stream is the body of the answer to a watch. The server's lock guards its fields.
type stream struct {
	server    *server
	door      door
	namespace string
	news      sync.Cond
	next      int // position in the kind's log
	buffer    bytes.Buffer
	last      int64 // the version that was sent last
	marked    bool  // it wants bookmarks
	ended     error // nil while it goes on
	timers    []*time.Timer
	release   func() bool
}

// watchLocked begins a watch, or a streaming list.
func (s *server) watchLocked(r *http.Request, a asked) *http.Response {
	query := r.URL.Query()
	initial := query.Get("sendInitialEvents") == "true"
	if initial && !s.streaming {
		return refuse(r, http.StatusBadRequest, metav1.StatusReasonBadRequest)
	}
	from, _ := strconv.ParseInt(query.Get("resourceVersion"), 10, 64)
	w := &stream{server: s, door: a.door, namespace: a.namespace, last: from, marked: query.Get("allowWatchBookmarks") == "true"}
	w.news.L = &s.mu
	switch {
	case query.Get("fieldSelector") != "": // that of a name which no object has
		w.next = math.MaxInt
		w.last = s.version
		w.writeBookmark(map[string]any{metav1.InitialEventsAnnotationKey: "true"})
	case initial:
		w.beginLocked(s.allLocked(a))
		w.next = len(s.log[a.kind])
	case from < s.compacted:
		w.writeStatus(statusOf(http.StatusGone, metav1.StatusReasonExpired))
		w.ended = io.EOF
	default:
		for w.next < len(s.log[a.kind]) && s.log[a.kind][w.next].version <= from {
			w.next++
		}
	}
	s.streams[w] = struct{}{}
	if seconds, err := strconv.Atoi(query.Get("timeoutSeconds")); err == nil && seconds > 0 {
		w.timers = append(w.timers, time.AfterFunc(time.Duration(seconds)*time.Second, func() { w.end(io.EOF) }))
	}
	if w.marked {
		w.timers = append(w.timers, time.AfterFunc(bookmarks, w.mark))
	}
	w.release = context.AfterFunc(r.Context(), func() { w.end(r.Context().Err()) })
	return respond(r, http.StatusOK, w)
}

// beginLocked sends the existing objects, and the bookmark after the last one.
func (w *stream) beginLocked(all []*state) {
	for _, found := range all {
		w.write("ADDED", found.in(w.door.form))
	}
	w.last = w.server.version
	w.writeBookmark(map[string]any{metav1.InitialEventsAnnotationKey: "true"})
}

func (w *stream) write(what string, object []byte) {
	fmt.Fprintf(&w.buffer, `{"type":%q,"object":`, what)
	w.buffer.Write(object)
	w.buffer.WriteString("}\n")
}

func (w *stream) writeStatus(status metav1.Status) {
	body, err := json.Marshal(status)
	if err != nil {
		panic(err)
	}
	w.write("ERROR", body)
}

func (w *stream) writeBookmark(annotations map[string]any) {
	version, name := w.door.kind.ToAPIVersionAndKind()
	if w.door.form == metadataForm {
		version, name = "meta.k8s.io/v1", "PartialObjectMetadata"
	}
	metadata := map[string]any{"resourceVersion": strconv.FormatInt(w.last, 10), "creationTimestamp": nil}
	if annotations != nil {
		metadata["annotations"] = annotations
	}
	w.write("BOOKMARK", encode(map[string]any{"apiVersion": version, "kind": name, "metadata": metadata}))
}

// mark sends bookmarks at intervals.
func (w *stream) mark() {
	w.server.mu.Lock()
	defer w.server.mu.Unlock()
	if w.ended != nil {
		return
	}
	if !w.server.mannersLocked(w.door).holds {
		w.fillLocked()
		w.last = w.server.version
		w.writeBookmark(nil)
		w.news.Broadcast()
	}
	w.timers = append(w.timers[:len(w.timers)-1], time.AfterFunc(bookmarks, w.mark))
}

// fillLocked collects the events to send.
func (w *stream) fillLocked() {
	if w.server.mannersLocked(w.door).holds {
		return
	}
	log := w.server.log[w.door.kind]
	for ; w.next < len(log); w.next++ {
		if e := log[w.next]; w.namespace == "" || w.namespace == e.id.namespace {
			w.write(e.what, e.in(w.door.form))
			w.last = e.version
		}
	}
}

// Read waits until there is something to send.
func (w *stream) Read(into []byte) (int, error) {
	w.server.mu.Lock()
	defer w.server.mu.Unlock()
	for {
		if w.ended == nil {
			w.fillLocked()
		}
		switch {
		case w.buffer.Len() > 0:
			return w.buffer.Read(into)
		case w.ended != nil:
			return 0, w.ended
		}
		w.news.Wait()
	}
}

// Close is called by the client.
func (w *stream) Close() error {
	w.end(io.ErrClosedPipe)
	return nil
}

func (w *stream) end(how error) {
	w.server.mu.Lock()
	defer w.server.mu.Unlock()
	w.endLocked(how)
}

func (w *stream) endLocked(how error) {
	if w.release != nil {
		w.release()
	}
	for _, timer := range w.timers {
		timer.Stop()
	}
	delete(w.server.streams, w)
	if w.ended == nil {
		w.ended = how
	}
	w.news.Broadcast()
}

// copied returns a copy of an object for a caller that changes it.
func (s *state) copied() map[string]any { return runtime.DeepCopyJSON(s.object) }

package inspector

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	v1 "github.com/delta-runtime/delta-runtime/pkg/inspect/v1"
)

// mostStreams is how many readers may follow the deltas at the same time.
const mostStreams = 64

// mostAtOnce is how many deltas are written between two looks at whether the stream has to end.
const mostAtOnce = 100

// stream sends deltas as they happen. It runs in the request's goroutine: the journal waits for
// nobody, so nothing has to stand between it and a slow reader.
func (h *handler) stream(c *call) error {
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	default:
		c.w.Header().Set("Retry-After", "10")
		return refuse(http.StatusTooManyRequests, "%d readers follow them already, and that is the limit", mostStreams)
	}
	q, restarted, err := h.streamQuery(c)
	if err != nil {
		return err
	}
	select {
	case <-h.opts.Done:
		return refuse(http.StatusServiceUnavailable, "the operator ends") // or readers would come again at once, and again
	default:
	}
	s := sender{control: http.NewResponseController(c.w), c: c, process: h.process}
	if err := s.begin(); err != nil {
		return err
	}
	defer s.end()
	if c.r.Method == http.MethodHead {
		return nil
	}
	if restarted {
		s.event("lost", "", v1.Lost{Restarted: true})
	}
	following := h.subject.Follow(q)
	defer following.Close()
	h.follow(c, &s, following)
	return nil
}

// streamQuery is where a stream begins. One that goes on after it broke off says so with the header
// that EventSource sends, or with the parameter since. Otherwise it begins with what happens now.
func (h *handler) streamQuery(c *call) (q DeltaQuery, restarted bool, err error) {
	if last := c.r.Header.Get("Last-Event-ID"); last != "" {
		at, ok := parsePlace(last)
		if !ok {
			return q, false, refuse(http.StatusBadRequest, "the header Last-Event-ID is %q, and has to be the ID of a delta", clip(last))
		}
		c.query.since, c.query.hasFrom = at, true
	}
	q, restarted = h.deltaQuery(c)
	if q.Limit = 0; !c.query.hasFrom {
		q.Since = h.subject.Newest()
	}
	return q, restarted, nil
}

// follow sends what comes until the reader is gone or has to come again.
func (h *handler) follow(c *call, s *sender, from Stream) {
	heartbeat := time.NewTicker(h.pace.heartbeat)
	defer heartbeat.Stop()
	over := time.NewTimer(h.pace.stream)
	defer over.Stop()
	more := make(chan struct{}) // closed: there may be more without a token
	close(more)
	var seen uint64 // up to there the reader has all that it wants
	for s.limit() == nil {
		newest := h.subject.Newest()
		deltas, lost := from.Take(mostAtOnce)
		if lost > 0 {
			s.event("lost", "", v1.Lost{Count: lost})
		}
		for i := range deltas {
			s.event("delta", place{h.process, deltas[i].ID}.String(), &deltas[i])
		}
		if s.control.Flush() != nil {
			return
		}
		next := from.Ready()
		if len(deltas) == mostAtOnce {
			next = more
		} else {
			seen = newest
		}
		select {
		case <-c.r.Context().Done():
			return
		case <-h.opts.Done:
			return
		case <-over.C:
			h.here(s, seen)
			return
		case <-heartbeat.C:
			h.here(s, seen)
		case <-next:
		}
	}
}

// here is a sign of life, and the place from where a reader goes on. If a filter lets little through, its last delta
// may be one that the journal has long dropped.
func (h *handler) here(s *sender, seen uint64) {
	if seen == 0 {
		s.comment("still here")
		return
	}
	s.event("here", place{h.process, seen}.String(), struct{}{})
}

// sender writes server-sent events.
type sender struct {
	control *http.ResponseController
	c       *call
	process string
}

// begin sends the head of the answer. A writer that has no time limits can't be used: a reader
// that does not read would hold the stream for ever.
func (s *sender) begin() error {
	if err := s.limit(); err != nil {
		return fmt.Errorf("this server can't send a stream: %w", err)
	}
	s.c.w.Header().Set("Content-Type", mediaEvents)
	s.c.w.Header().Set("X-Accel-Buffering", "no") // a proxy would keep events until it has many
	s.c.w.WriteHeader(http.StatusOK)
	s.comment("process " + s.process)
	_ = s.control.Flush()
	return nil
}

// limit gives the reader time for what is sent next. If that is over, Flush fails.
func (s *sender) limit() error {
	return s.control.SetWriteDeadline(time.Now().Add(s.c.pace.write))
}

// event sends an event, at the latest with the next Flush.
func (s *sender) event(name, id string, data any) {
	content, err := json.Marshal(data)
	if err != nil {
		panic(fmt.Sprintf("write an event %s: %v", name, err))
	}
	if id != "" {
		fmt.Fprintf(s.c.w, "id: %s\n", id)
	}
	fmt.Fprintf(s.c.w, "event: %s\ndata: %s\n\n", name, content)
}

// comment sends a line that readers skip.
func (s *sender) comment(text string) { fmt.Fprintf(s.c.w, ": %s\n\n", text) }

// end takes the time limit off the connection, which may serve other requests.
func (s *sender) end() { _ = s.control.SetWriteDeadline(time.Time{}) }

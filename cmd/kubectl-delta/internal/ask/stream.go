package ask

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// errSilent ends a stream whose other end may be gone.
var errSilent = errors.New("nothing was heard for so long that the connection must be dead")

// Follow says what a stream shall show.
type Follow struct {
	Query url.Values
	// After is the id of the last event that is known; empty for none.
	After string
	// Silence is how long a stream may be silent. Inspectors send a comment now and then so
	// that a stream never is.
	Silence time.Duration
	// Opened is called when the stream begins.
	Opened func()
	// Each is called with each event. An error of it ends the stream.
	Each func(Event) error
}

// Stream follows the deltas until the stream ends, which is always an error.
func (c *Client) Stream(ctx context.Context, follow Follow) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	alarm := time.AfterFunc(follow.Silence, func() { cancel(errSilent) })
	defer alarm.Stop()
	r := request{method: http.MethodGet, route: "deltas/stream", query: follow.Query, header: http.Header{}}
	r.header.Set("Accept", "text/event-stream")
	if follow.After != "" && strings.IndexFunc(follow.After, unfit) < 0 {
		r.header.Set("Last-Event-Id", follow.After)
	}
	answer, err := c.send(ctx, r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if kind, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type")); err != nil || kind != "text/event-stream" {
		content, _ := io.ReadAll(io.LimitReader(answer.Body, maxComplaint))
		return c.refused(r, answer, content)
	}
	follow.Opened()
	events := NewEvents(&heard{in: answer.Body, alarm: alarm, silence: follow.Silence})
	for {
		event, err := events.Next()
		if errors.Is(err, io.EOF) {
			err = errors.New("the inspector ended the stream")
		}
		if err != nil {
			return c.failed(ctx, r, err)
		}
		if err := follow.Each(event); err != nil {
			return err
		}
	}
}

// unfit reports whether a header can't have a character. An inspector's ids are numbers.
func unfit(r rune) bool { return r < ' ' || r > '~' }

// heard puts off the alarm with each byte that arrives.
type heard struct {
	in      io.Reader
	alarm   *time.Timer
	silence time.Duration
}

func (h *heard) Read(into []byte) (int, error) {
	n, err := h.in.Read(into)
	if n > 0 {
		h.alarm.Reset(h.silence)
	}
	return n, err
}

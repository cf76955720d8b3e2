package ask

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// maxLine is larger than any delta: the inspector cuts values and leaves out edits.
const maxLine = 8 << 20

// Event is one server-sent event.
type Event struct {
	// ID is the last id that the stream had, with this event or before it.
	ID string
	// Name is what the stream calls this kind of event.
	Name string
	Data []byte
}

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
	alarm := time.AfterFunc(follow.Silence, func() {
		cancel(errors.New("nothing was heard for so long that the connection must be dead"))
	})
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
	for event, err := range Events(answer.Body, func() { alarm.Reset(follow.Silence) }) {
		if err != nil {
			return c.failed(ctx, r, err)
		}
		if err := follow.Each(event); err != nil {
			return err
		}
	}
	return c.failed(ctx, r, errors.New("the inspector ended the stream"))
}

// unfit reports whether a header can't have a character. An inspector's ids are numbers.
func unfit(r rune) bool { return r < ' ' || r > '~' }

// Events are server-sent events as an inspector writes them, with one line of data each. An error is the
// last. An unfinished event at the end is dropped. heard is called with each line.
func Events(in io.Reader, heard func()) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, maxLine)
		var event Event
		for lines.Scan() {
			heard()
			field, value, _ := strings.Cut(lines.Text(), ":")
			value = strings.TrimPrefix(value, " ")
			switch {
			case field == "id":
				event.ID = value
			case field == "event":
				event.Name = value
			case field == "data":
				event.Data = []byte(value)
			case lines.Text() == "":
				if event.Data != nil && !yield(event, nil) {
					return
				}
				event = Event{ID: event.ID}
			}
		}
		if err := lines.Err(); err != nil {
			yield(Event{}, fmt.Errorf("read an event of at most %d bytes: %w", maxLine, err))
		}
	}
}

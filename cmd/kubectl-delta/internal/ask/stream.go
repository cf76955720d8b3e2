package ask

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"strings"
	"time"
)

const (
	// Opened is the name of the event that a stream begins with. The inspector does not send it.
	Opened = "opened"
	// maxLine is larger than any delta: the inspector cuts values and leaves out edits.
	maxLine = 8 << 20
	// longestSilence is several times as long as an inspector is ever silent: it sends a comment now and then.
	longestSilence = 90 * time.Second
)

// Event is one server-sent event.
type Event struct {
	// ID is the last id that the stream had, with this event or before it.
	ID string
	// Name is what the stream calls this kind of event.
	Name string
	Data []byte
}

// Stream has the deltas that come after an id, or all if that is empty. It ends with an error.
func (c *Client) Stream(ctx context.Context, query url.Values, after string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		alarm := time.AfterFunc(longestSilence, func() {
			cancel(errors.New("nothing was heard for so long that the connection must be dead"))
		})
		defer alarm.Stop()
		r := c.request(ctx, "deltas/stream", query)
		r.Header.Set("Accept", "text/event-stream")
		if after != "" {
			r.Header.Set("Last-Event-Id", after)
		}
		answer, err := c.send(r)
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer func() { _ = answer.Body.Close() }()
		if !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
			content, _ := io.ReadAll(io.LimitReader(answer.Body, maxComplaint))
			yield(Event{}, c.refused(answer, content))
			return
		}
		if !yield(Event{Name: Opened}, nil) {
			return
		}
		for event, err := range Events(answer.Body, func() { alarm.Reset(longestSilence) }) {
			if err != nil {
				err = c.failed(r, err)
			}
			if !yield(event, err) {
				return
			}
		}
	}
}

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
		err := errors.New("the inspector ended the stream")
		if lines.Err() != nil {
			err = fmt.Errorf("read an event of at most %d bytes: %w", maxLine, lines.Err())
		}
		yield(Event{}, err)
	}
}

package ask

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// maxLine is larger than any delta: the inspector cuts values and leaves out edits.
const maxLine = 8 << 20

// Event is one server-sent event.
type Event struct {
	// ID is the last id that the stream had, with this event or before it.
	ID string
	// Name is what the stream calls this kind of event; "message" if it does not.
	Name string
	// Data has the lines of data, with an end of line between two.
	Data []byte
}

// Events reads server-sent events as the HTML standard describes them. It drops an
// unfinished event at the end of the stream, as the standard asks for.
type Events struct {
	in    *bufio.Reader
	begun bool // the mark of the byte order can no longer come
	after byte // how the last line ended: "\r" may still be followed by "\n"
	id    string
}

// NewEvents returns the events of a stream.
func NewEvents(in io.Reader) *Events { return &Events{in: bufio.NewReader(in)} }

// Next returns the next event. The error is io.EOF at the end of the stream.
func (e *Events) Next() (Event, error) {
	var name string
	var data []byte
	some := false
	for {
		line, err := e.line()
		if err != nil {
			return Event{}, err
		}
		if len(line) == 0 {
			if some {
				return e.event(name, data), nil
			}
			name = "" // an event without data is none
			continue
		}
		switch field, value := split(line); field {
		case "data":
			if some {
				data = append(data, '\n')
			}
			data, some = append(data, value...), true
			if len(data) > maxLine {
				return Event{}, fmt.Errorf("read an event: it has more than %d bytes", maxLine)
			}
		case "event":
			name = string(value)
		case "id":
			if bytes.IndexByte(value, 0) < 0 {
				e.id = string(value)
			}
		}
	}
}

func (e *Events) event(name string, data []byte) Event {
	if name == "" {
		name = "message"
	}
	return Event{ID: e.id, Name: name, Data: data}
}

// split returns the name and the value of a line. A comment has an empty name.
func split(line []byte) (field string, value []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	return string(name), bytes.TrimPrefix(value, []byte(" "))
}

// line returns the next line without its end, which is "\n", "\r" or both.
//
// A "\r" ends a line at once. To look whether "\n" follows would wait for the next event, so
// a "\n" that follows is left out when the next line is read.
func (e *Events) line() ([]byte, error) {
	var line []byte
	for {
		b, err := e.in.ReadByte()
		if err != nil {
			return nil, err
		}
		follows := b == '\n' && e.after == '\r' && len(line) == 0
		e.after = 0
		switch {
		case follows:
			continue
		case b == '\n' || b == '\r':
			e.after = b
			return e.first(line), nil
		case len(line) == maxLine:
			return nil, fmt.Errorf("read an event: a line has more than %d bytes", maxLine)
		}
		line = append(line, b)
	}
}

// first takes the mark of the byte order from the first line.
func (e *Events) first(line []byte) []byte {
	if e.begun {
		return line
	}
	e.begun = true
	return bytes.TrimPrefix(line, []byte("\ufeff"))
}

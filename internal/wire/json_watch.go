package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/delta-runtime/delta-runtime/internal/decode"
)

// jsonWatch reads events in JSON, which a server writes on a line each.
type jsonWatch struct {
	in      *window
	objects *objects
}

func (w *jsonWatch) next() (watch.EventType, arrival, error) {
	frame, err := w.line()
	if err != nil {
		return "", arrival{}, err
	}
	t, got, ok := w.event(frame)
	if !ok {
		if frame, err = w.object(); err != nil {
			return "", arrival{}, err
		}
		t, got, err = w.slowly(frame)
	}
	w.in.used(len(frame))
	return t, got, err
}

// line returns the next line, which stays where it is. An object at the end of what has come is one, too: nobody
// knows when more will come.
func (w *jsonWatch) line() ([]byte, error) {
	for seen := 0; ; {
		data := w.in.bytes()
		if seen == 0 {
			w.in.used(len(data) - len(bytes.TrimLeft(data, " \t\r\n")))
			data = w.in.bytes()
		}
		if len(data) > 0 && data[0] != '{' {
			return nil, fmt.Errorf("an event begins with %q", data[0])
		}
		if i := bytes.IndexByte(data[seen:], '\n'); i >= 0 {
			return data[:seen+i+1], nil
		}
		seen = len(data)
		if seen > 0 && data[seen-1] == '}' {
			if end := decode.Pass(data); end > 0 {
				return data[:end], nil
			}
		}
		if err := w.more(); err != nil {
			return nil, err
		}
	}
}

// object returns the next object, however it is written.
func (w *jsonWatch) object() ([]byte, error) {
	for {
		end, err := extent(w.in.bytes())
		if end > 0 || err != nil {
			return w.in.bytes()[:end], err
		}
		if err := w.more(); err != nil {
			return nil, err
		}
	}
}

// more reads on in the middle of an event, or before the first byte of one.
func (w *jsonWatch) more() error {
	err := w.in.more()
	if errors.Is(err, io.EOF) && len(w.in.bytes()) > 0 {
		return io.ErrUnexpectedEOF
	}
	return err
}

// event reads an event as servers write it: its type, and then its object, which is decoded where it stands.
func (w *jsonWatch) event(frame []byte) (t watch.EventType, got arrival, ok bool) {
	rest, found := bytes.CutPrefix(frame, []byte(`{"type":"`))
	if !found {
		return "", got, false
	}
	name, rest, found := bytes.Cut(rest, []byte(`","object":`))
	t = eventType(name)
	if !found || t == "" {
		return "", got, false
	}
	got, end := w.objects.json(rest)
	if end == 0 || len(rest) == end || rest[end] != '}' || len(bytes.TrimSpace(rest[end+1:])) > 0 {
		return "", arrival{}, false
	}
	return t, got, true
}

// eventType returns the type of that name, which is empty if there is none.
func eventType(name []byte) watch.EventType {
	switch string(name) {
	case string(watch.Added):
		return watch.Added
	case string(watch.Modified):
		return watch.Modified
	case string(watch.Deleted):
		return watch.Deleted
	case string(watch.Bookmark):
		return watch.Bookmark
	case string(watch.Error):
		return watch.Error
	}
	return ""
}

// slowly reads an event that is written in another way.
func (w *jsonWatch) slowly(frame []byte) (watch.EventType, arrival, error) {
	var event metav1.WatchEvent
	if err := json.Unmarshal(frame, &event); err != nil {
		return "", arrival{}, err
	}
	t := eventType([]byte(event.Type))
	if t == "" {
		return "", arrival{}, fmt.Errorf("an event has the unknown type %q", event.Type)
	}
	got, end := w.objects.json(event.Object.Raw)
	if end == 0 {
		return "", arrival{}, errors.New("an event has no object")
	}
	return t, got, nil
}

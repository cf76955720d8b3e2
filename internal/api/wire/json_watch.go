package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/delta-runtime/delta-runtime/internal/api/decode"
)

// jsonWatch reads events in JSON, which a server writes on a line each.
type jsonWatch struct {
	in      *window
	objects *objects
}

func (w *jsonWatch) next() (watch.EventType, arrival, error) {
	frame, err := w.frame(true)
	if err != nil {
		return "", arrival{}, err
	}
	t, got, size := w.event(frame)
	if size == 0 {
		if frame, err = w.frame(false); err != nil {
			return "", arrival{}, err
		}
		size = len(frame)
		t, got, err = w.slowly(frame)
	}
	w.in.used(size)
	return t, got, err
}

// frame returns what the next event is in, which stays where it is: an object that has come to its end. A line will do
// first, as servers write them. But nobody knows when the end of a line will come.
func (w *jsonWatch) frame(line bool) ([]byte, error) { //nolint:revive // the two ways are one loop
	var look decode.Scan
	for had := 0; ; {
		data := w.in.bytes()
		if had == 0 {
			w.in.used(len(data) - len(bytes.TrimLeft(data, " \t\r\n")))
			data = w.in.bytes()
		}
		if len(data) > 0 && data[0] != '{' {
			return nil, fmt.Errorf("an event begins with %q", data[0])
		}
		if i := bytes.IndexByte(data[had:], '\n'); line && i >= 0 {
			return data[:had+i+1], nil
		}
		if !line || mayEnd(data, had) {
			if end := look.End(data); end > 0 {
				return data[:end], nil
			}
		}
		if had == 0 && !line { // it may be that no end will come
			if err := cannotEnd(data); err != nil {
				return nil, err
			}
		}
		had = len(data)
		if err := w.more(); err != nil {
			return nil, err
		}
	}
}

// mayEnd reports whether the end of an event may be in data whose first bytes were seen before: a bracket with nothing
// behind it, a blank, or the next event. To look for that takes less time than to find the end itself, and mostly the
// line ends before an event may.
func mayEnd(data []byte, seen int) bool {
	for data = data[max(0, seen-1):]; ; {
		i := bytes.IndexByte(data, '}')
		if i < 0 {
			return false
		}
		data = data[i+1:]
		if len(data) == 0 || data[0] == '{' || data[0] == ' ' || data[0] == '\t' || data[0] == '\r' {
			return true
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

// event reads an event as servers write it: its type, and then its object, which is decoded where it stands. It returns
// how many bytes that are, and 0 if it is written in another way.
func (w *jsonWatch) event(frame []byte) (t watch.EventType, got arrival, size int) {
	rest, found := bytes.CutPrefix(frame, []byte(`{"type":"`))
	if !found {
		return "", got, 0
	}
	name, rest, found := bytes.Cut(rest, []byte(`","object":`))
	t = eventType(name)
	if !found || t == "" {
		return "", got, 0
	}
	got, end := w.objects.json(rest)
	if end == 0 || len(rest) == end || rest[end] != '}' {
		return "", arrival{}, 0
	}
	return t, got, len(frame) - len(rest) + end + 1
}

var eventTypes = [...]watch.EventType{watch.Added, watch.Modified, watch.Deleted, watch.Bookmark, watch.Error}

// eventType returns the type of that name, which is empty if there is none. It makes no text.
func eventType(name []byte) watch.EventType {
	for _, t := range eventTypes {
		if string(name) == string(t) {
			return t
		}
	}
	return ""
}

// slowly reads an event that is written in another way.
func (w *jsonWatch) slowly(frame []byte) (watch.EventType, arrival, error) {
	var event metav1.WatchEvent
	if err := utiljson.Unmarshal(frame, &event); err != nil {
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

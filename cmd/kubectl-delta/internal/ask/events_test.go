package ask_test

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/delta-runtime/delta-runtime/cmd/kubectl-delta/internal/ask"
)

func read(t *testing.T, in io.Reader) []ask.Event {
	t.Helper()
	var all []ask.Event
	for event, err := range ask.Events(in, func() {}) {
		if err == nil {
			all = append(all, event)
		} else if !strings.Contains(err.Error(), "ended the stream") {
			t.Fatal(err)
		}
	}
	return all
}

func event(id, name, data string) ask.Event { return ask.Event{ID: id, Name: name, Data: []byte(data)} }

func TestEvents(t *testing.T) {
	for name, test := range map[string]struct {
		stream string
		want   []ask.Event
	}{
		"nothing":             {"", nil},
		"a delta":             {"id: 7\nevent: delta\ndata: {}\n\n", []ask.Event{event("7", "delta", "{}")}},
		"no space":            {"data:x\n\n", []ask.Event{event("", "", "x")}},
		"two spaces":          {"data:  x\n\n", []ask.Event{event("", "", " x")}},
		"a comment":           {": heartbeat\n\n:\n\ndata: x\n\n", []ask.Event{event("", "", "x")}},
		"CRLF":                {"data: a\r\n\r\ndata: c\r\n\r\n", []ask.Event{event("", "", "a"), event("", "", "c")}},
		"an id stays":         {"id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", []ask.Event{event("1", "", "a"), event("1", "", "b"), event("", "", "c")}},
		"a name does not":     {"event: lost\ndata: 3\n\ndata: b\n\n", []ask.Event{event("", "lost", "3"), event("", "", "b")}},
		"a name without data": {"event: lost\n\ndata: b\n\n", []ask.Event{event("", "", "b")}},
		"unknown fields":      {"retry: 10\nwhat: 1\ndata: a\n\n", []ask.Event{event("", "", "a")}},
		"an unfinished event": {"data: a\n\ndata: b\n", []ask.Event{event("", "", "a")}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := read(t, strings.NewReader(test.stream)); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if got := read(t, iotest.OneByteReader(strings.NewReader(test.stream))); !reflect.DeepEqual(got, test.want) {
				t.Errorf("byte by byte: got %q, want %q", got, test.want)
			}
		})
	}
}

// An event must be there as soon as its last byte is: what follows may take an hour.
func TestAnEventDoesNotWaitForTheNext(t *testing.T) {
	for _, end := range []string{"\n\n", "\r\n\r\n"} {
		asked := errors.New("asked for more")
		for got, err := range ask.Events(io.MultiReader(strings.NewReader("data: x"+end), iotest.ErrReader(asked)), func() {}) {
			if err != nil || string(got.Data) != "x" {
				t.Errorf("after %q: %q, %v", end, got.Data, err)
			}
			break
		}
	}
}

func TestEventsHaveABound(t *testing.T) {
	for _, err := range ask.Events(strings.NewReader("data: "+strings.Repeat("0", 8<<20)), func() {}) {
		if err == nil || !strings.Contains(err.Error(), "of at most") {
			t.Errorf("a line without an end gives %v", err)
		}
	}
}

func FuzzEventsAreTheSameHoweverTheyAreCut(f *testing.F) {
	f.Add("id: 7\r\nevent: delta\ndata: {}\n\n: beat\n\ndata: x\r\n\r\n", uint(9))
	f.Add("data: a\r\n\n", uint(1))
	f.Fuzz(func(t *testing.T, stream string, at uint) {
		n := int(at % uint(len(stream)+1))
		want := read(t, strings.NewReader(stream))
		if got := read(t, io.MultiReader(strings.NewReader(stream[:n]), strings.NewReader(stream[n:]))); !reflect.DeepEqual(got, want) {
			t.Errorf("cut at %d: got %q, want %q", n, got, want)
		}
		for _, e := range want {
			if strings.Contains(e.Name+e.ID+string(e.Data), "\n") {
				t.Errorf("an end of line is part of %q", e)
			}
		}
	})
}

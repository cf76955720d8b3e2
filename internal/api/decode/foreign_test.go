package decode_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/delta-runtime/delta-runtime/internal/api/decode"
)

// Settings are a part of an object. Without a word of their own they are those of the package.
type Settings struct {
	Name   string            `json:"name"`
	Limits map[string]any    `json:"limits,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Next   *Settings         `json:"next,omitempty"`
	Values []string          `json:"values,omitempty"`
}

// defaulted is Settings that may be the package's.
type defaulted struct{ *Settings }

var usual *Settings

func (d *defaulted) UnmarshalJSON(data []byte) error {
	if string(data) == `"usual"` {
		d.Settings = usual
		return nil
	}
	return json.Unmarshal(data, &d.Settings)
}

type withDefaults struct {
	object
	Settings defaulted   `json:"settings"`
	More     []defaulted `json:"more"`
}

// TestMemoryOfOthersIsNotWritten decodes parts that lead to somebody's memory, against objects that have the same parts.
func TestMemoryOfOthersIsNotWritten(t *testing.T) {
	written := `{"name":"a","limits":{"x":{"y":"z"}},"labels":{"k":"v"},"next":{"name":"b"},"values":["1"]}`
	usual = &Settings{}
	must(t, json.Unmarshal([]byte(written), usual))
	limits, next, values := reflect.ValueOf(usual.Limits["x"]).Pointer(), usual.Next, &usual.Values[0]
	s := newSubject(t, &withDefaults{})
	read := func(text string, like any) *withDefaults {
		obj, _, ok := s.decoder.JSON([]byte(text), like)
		if !ok {
			t.Fatal("it is refused")
		}
		return obj.(*withDefaults)
	}
	like := read(`{"metadata":{"labels":{"same":"label"}},"settings":`+written+`,"more":[`+written+`]}`, nil)
	got := read(`{"metadata":{"labels":{"same":"label"}},"settings":"usual","more":["usual"]}`, like)
	if reflect.ValueOf(usual.Limits["x"]).Pointer() != limits || usual.Next != next || &usual.Values[0] != values {
		t.Error("what the package has was exchanged for something equal")
	}
	if got.Settings.Settings != usual || got.More[0].Settings != usual {
		t.Error("the object has not what its decoder gave it")
	}
	if reflect.ValueOf(got.Labels).Pointer() != reflect.ValueOf(like.Labels).Pointer() {
		t.Error("what nobody else made is not shared")
	}
}

// noted notes where it is.
type noted struct{ Text string }

var notes []*noted

func (n *noted) UnmarshalJSON(data []byte) error {
	notes = append(notes, n)
	return json.Unmarshal(data, &n.Text)
}

type withNotes struct {
	object
	List []noted  `json:"list"`
	Ptrs []*noted `json:"ptrs"`
}

// TestMemoryThatIsKeptIsNotUsedAgain decodes values that stay known to their decoder.
func TestMemoryThatIsKeptIsNotUsedAgain(t *testing.T) {
	codec, err := decode.TypeOf(&withNotes{})
	must(t, err)
	notes = nil
	decoder, like := codec.NewDecoder(), any(nil)
	for i := range 3 {
		text := fmt.Sprintf(`{"list":["l%d"],"ptrs":["p%d"]}`, i, i)
		first := len(notes)
		for range 2 {
			var ok bool
			if like, _, ok = decoder.JSON([]byte(text), like); !ok {
				t.Fatal("it is refused")
			}
		}
		for j, n := range notes[first:] {
			if want := fmt.Sprintf("%c%d", "lplp"[j], i); n.Text != want {
				t.Errorf("%d: what one has kept says %q, want %q", i, n.Text, want)
			}
		}
	}
	for i, n := range notes {
		if want := fmt.Sprintf("%c%d", "lp"[i%2], i/4); n.Text != want {
			t.Errorf("in the end, what one has kept says %q, want %q", n.Text, want)
		}
	}
}

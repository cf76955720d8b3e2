package decode_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

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

// zigzag has a number in an encoding that Kubernetes does not use.
type zigzag struct {
	metav1.ObjectMeta `json:"metadata" protobuf:"bytes,1,opt,name=metadata"`
	Number            int32 `json:"number" protobuf:"zigzag32,2,opt,name=number"`
}

func (z *zigzag) Unmarshal(data []byte) error {
	n, size := binary.Uvarint(data[1:])
	if size <= 0 || data[0] != 2<<3 {
		return errors.New("it is something else")
	}
	z.Number = int32(uint32(n)>>1) ^ -int32(n&1) //nolint:gosec // that is the encoding
	return nil
}

// selfMade has tags, and a decoder that does not go by them.
type selfMade struct {
	Text string `json:"text" protobuf:"bytes,1,opt,name=text"`
}

func (u *selfMade) Unmarshal(data []byte) error {
	u.Text = "of " + string(data[2:])
	return nil
}

// around has one within.
type around struct {
	metav1.ObjectMeta `json:"metadata" protobuf:"bytes,1,opt,name=metadata"`
	Within            selfMade `json:"within" protobuf:"bytes,2,opt,name=within"`
}

func (a *around) Unmarshal(data []byte) error { return a.Within.Unmarshal(data[2:]) }

// TestOwnDecodersOfProtobuf has objects whose decoders nobody here knows. They are left to these.
func TestOwnDecodersOfProtobuf(t *testing.T) {
	for name, tt := range map[string]struct {
		example any
		data    []byte
	}{
		"an encoding":       {&zigzag{}, []byte{2 << 3, 3}},
		"a decoder":         {&selfMade{}, []byte{1<<3 | 2, 1, 'x'}},
		"a decoder further": {&around{}, []byte{2<<3 | 2, 3, 1<<3 | 2, 1, 'x'}},
	} {
		s := newSubject(t, tt.example)
		if s.holds(t, asProto, tt.data) {
			t.Errorf("%s: it is decoded by its tags", name)
		}
		if _, ok := s.codec.ReadProtoHead(tt.data); ok {
			t.Errorf("%s: it has a head", name)
		}
	}
	for _, example := range []runtime.Object{&corev1.Pod{}, &metav1.PartialObjectMetadata{}} {
		codec, err := decode.TypeOf(example)
		must(t, err)
		if _, ok := codec.NewDecoder().Proto(nil, nil); !ok {
			t.Errorf("%T is left to others", example)
		}
	}
}

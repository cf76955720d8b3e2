package decode_test

import (
	"encoding/binary"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/delta-runtime/delta-runtime/internal/api/decode"
)

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

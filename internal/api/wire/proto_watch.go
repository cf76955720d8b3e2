package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// protoWatch reads events in protobuf, each behind its length.
type protoWatch struct {
	in      *window
	objects *objects
}

func (w *protoWatch) next() (watch.EventType, arrival, error) {
	const prefix = 4
	if err := w.in.atLeast(prefix); err != nil {
		return "", arrival{}, err
	}
	length := binary.BigEndian.Uint32(w.in.bytes())
	if length > maxWindow-prefix {
		return "", arrival{}, errTooLarge
	}
	size := int(length)
	if err := w.in.atLeast(prefix + size); err != nil {
		return "", arrival{}, err
	}
	defer w.in.used(prefix + size)
	return w.event(w.in.bytes()[prefix : prefix+size])
}

func (w *protoWatch) event(frame []byte) (watch.EventType, arrival, error) {
	name, object, ok := fields(frame, 2) // of metav1.WatchEvent
	if !ok {
		return "", arrival{}, errors.New("an event is in no order")
	}
	t := eventType(name)
	if t == "" {
		return "", arrival{}, fmt.Errorf("an event has the unknown type %q", name)
	}
	raw, _, ok := fields(object, 0) // of runtime.RawExtension
	if !ok || len(raw) == 0 {
		return "", arrival{}, errors.New("an event has no object")
	}
	return t, w.object(raw), nil
}

// object makes the object of an event. If it is of another kind, as an error is, others have to.
func (w *protoWatch) object(raw []byte) arrival {
	kind := w.objects.kind
	if body, ok := bytes.CutPrefix(raw, []byte(protoPrefix)); ok {
		about, object, ok := fields(body, unknownRaw)
		if version, name, understood := fields(about, 2); ok && understood && kind.isSent(string(version), string(name)) {
			return w.objects.proto(object)
		}
	}
	obj, err := runtime.Decode(w.objects.decode, bytes.Clone(raw)) // who may keep it
	return arrival{obj: obj, err: err}
}

// fields returns the first field of a message and another one, which are bytes. It reports false if it does not understand the message, or
// if something in it comes twice.
func fields(message []byte, other protowire.Number) (a, b []byte, ok bool) {
	for len(message) > 0 {
		id, sort, n := protowire.ConsumeTag(message)
		if n < 0 || sort != protowire.BytesType {
			return nil, nil, false
		}
		value, m := protowire.ConsumeBytes(message[n:])
		if m < 0 || id == 1 && a != nil || id == other && b != nil {
			return nil, nil, false
		}
		message = message[n+m:]
		if id == other {
			b = value
		}
		if id == 1 {
			a = value
		}
	}
	return a, b, true
}

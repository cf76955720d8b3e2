package wireserver

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/framer"
	"k8s.io/apimachinery/pkg/watch"
)

// A Format is how objects are encoded.
type Format int

// The formats that API servers are asked for most.
const (
	JSON Format = iota
	Protobuf
	formats // how many there are
)

// contentType is what the server calls its answers.
func (f Format) contentType() string {
	if f == Protobuf {
		return runtime.ContentTypeProtobuf
	}
	return runtime.ContentTypeJSON
}

// watchType is what the server calls its watches.
func (f Format) watchType() string {
	if f == Protobuf {
		return runtime.ContentTypeProtobuf + ";stream=watch"
	}
	return runtime.ContentTypeJSON
}

// An image is an object in each format that is served: as JSON with its kind, and as
// protobuf without an envelope.
type image [formats][]byte

// message is what has a form in protobuf: the types of built-in kinds.
type message interface {
	Marshal() ([]byte, error)
}

// encode makes the image of an object.
func (k *kind) encode(obj Object) (image, error) {
	var made image
	if is := obj.GetObjectKind().GroupVersionKind(); is != k.GroupVersionKind {
		return made, fmt.Errorf("encode %s/%s: it is a %s", obj.GetNamespace(), obj.GetName(), is)
	}
	for _, format := range k.formats {
		var err error
		if format == JSON {
			made[format], err = json.Marshal(obj)
		} else if m, ok := obj.(message); ok {
			made[format], err = m.Marshal()
		} else {
			err = fmt.Errorf("%T has no form in protobuf", obj)
		}
		if err != nil {
			return made, fmt.Errorf("encode %s/%s: %w", obj.GetNamespace(), obj.GetName(), err)
		}
	}
	return made, nil
}

// frame writes an event of a watch as an API server does.
func frame(w io.Writer, format Format, event metav1.WatchEvent) error {
	if format == JSON {
		// The object is known to be JSON. Package json would look at each byte of it.
		text := slices.Concat([]byte(`{"type":"`+event.Type+`","object":`), event.Object.Raw, []byte("}\n"))
		_, err := w.Write(text)
		return err
	}
	body, err := event.Marshal()
	if err != nil {
		return fmt.Errorf("encode an event: %w", err)
	}
	_, err = framer.NewLengthDelimitedFrameWriter(w).Write(body)
	return err
}

// event is an event with an object of a kind.
func event(what watch.EventType, format Format, of schema.GroupVersionKind, object []byte) (metav1.WatchEvent, error) {
	made := metav1.WatchEvent{Type: string(what)}
	made.Object.Raw = object
	var err error
	if format == Protobuf {
		made.Object.Raw, err = envelope(of, object)
	}
	return made, err
}

// magic begins each object in protobuf.
const magic = "k8s\x00"

// envelope wraps a message, so that a reader knows its kind.
func envelope(of schema.GroupVersionKind, object []byte) ([]byte, error) {
	apiVersion, kind := of.ToAPIVersionAndKind()
	unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: apiVersion, Kind: kind}, Raw: object}
	wrapped, err := unknown.Marshal()
	if err != nil {
		return nil, fmt.Errorf("encode an envelope: %w", err)
	}
	return append([]byte(magic), wrapped...), nil
}

// A writing is how one list is written. A server writes item by item, and each write becomes a
// chunk, or two if it begins with little.
type writing struct {
	head, tail []byte
	skip       int                        // how many bytes of an object are left out for a brace
	before     func(object []byte) []byte // what is written before an object, if anything is
	between    string                     // what is written after an object that is not the last
}

// typedList is how a server lists a built-in kind as JSON: in the order of the Go type's
// fields, the items without their kind.
func (k *kind) typedList(about metav1.ListMeta) (writing, error) {
	meta, err := json.Marshal(about)
	if err != nil {
		return writing{}, fmt.Errorf("encode a list's metadata: %w", err)
	}
	apiVersion, name := k.ToAPIVersionAndKind()
	return writing{
		head:    fmt.Appendf(nil, `{"kind":"%sList","apiVersion":%q,"metadata":%s,"items":[`, name, apiVersion, meta),
		tail:    []byte("]}\n"),
		skip:    len(fmt.Sprintf(`{"kind":%q,"apiVersion":%q,`, name, apiVersion)),
		between: ",",
	}, nil
}

// customList is how a server lists the kind of a CRD: in the order of the alphabet, the
// items with their kind.
func (k *kind) customList(about metav1.ListMeta) (writing, error) {
	fields := map[string]any{"continue": about.Continue, "resourceVersion": about.ResourceVersion}
	if about.RemainingItemCount != nil {
		fields["remainingItemCount"] = *about.RemainingItemCount
	}
	meta, err := json.Marshal(fields)
	if err != nil {
		return writing{}, fmt.Errorf("encode a list's metadata: %w", err)
	}
	apiVersion, name := k.ToAPIVersionAndKind()
	return writing{
		head:    fmt.Appendf(nil, `{"apiVersion":%q,"items":[`, apiVersion),
		tail:    fmt.Appendf(nil, `],"kind":"%sList","metadata":%s}`+"\n", name, meta),
		between: ",",
	}, nil
}

// The tags of the fields in protobuf: their number, and that they have a length.
const (
	listMeta   = 1<<3 | 2
	listItem   = 2<<3 | 2
	unknownRaw = 2<<3 | 2
)

// emptyRaw is how the envelope of nothing ends: a length of 0, and two texts that nobody sets.
var emptyRaw = []byte{unknownRaw, 0, 3<<3 | 2, 0, 4<<3 | 2, 0}

// binaryList is how a server lists a built-in kind as protobuf. The length of everything
// comes first.
func (k *kind) binaryList(about metav1.ListMeta, items []image) (writing, error) {
	meta, err := about.Marshal()
	if err != nil {
		return writing{}, fmt.Errorf("encode a list's metadata: %w", err)
	}
	length := len(prefix(listMeta, len(meta))) + len(meta)
	for _, of := range items {
		length += len(prefix(listItem, len(of[Protobuf]))) + len(of[Protobuf])
	}
	list := k.GroupVersionKind
	list.Kind += "List"
	empty, err := envelope(list, []byte{})
	if err != nil {
		return writing{}, err
	}
	start, found := bytes.CutSuffix(empty, emptyRaw)
	if !found {
		panic(fmt.Sprintf("BUG: an envelope is otherwise: %q", empty))
	}
	return writing{
		head:   slices.Concat(start, prefix(unknownRaw, length), prefix(listMeta, len(meta)), meta),
		tail:   emptyRaw[2:],
		before: func(object []byte) []byte { return prefix(listItem, len(object)) },
	}, nil
}

// prefix is what comes before a field that has a length.
func prefix(tag byte, length int) []byte {
	return binary.AppendUvarint([]byte{tag}, uint64(length))
}

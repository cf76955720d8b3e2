package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"testing"
	"testing/iotest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/kubernetes/scheme"
)

func configMaps() *Kind {
	k := &Kind{GVK: corev1.SchemeGroupVersion.WithKind("ConfigMap"), Example: &corev1.ConfigMap{}, Namespaced: true}
	k.complete()
	return k
}

// collected is what a list brings.
type collected struct {
	items  []corev1.ConfigMap
	broken bool
}

func (c *collected) take(a arrival) {
	if c.broken = c.broken || a.err != nil; a.err == nil {
		c.items = append(c.items, *a.obj.(*corev1.ConfigMap))
	}
}

func (c *collected) check(t *testing.T, head *listHead, want *corev1.ConfigMapList) {
	t.Helper()
	if head.ResourceVersion != want.ResourceVersion || head.Continue != want.Continue || len(c.items) != len(want.Items) {
		t.Fatalf("it is at %q with %d items, want %q with %d", head.ResourceVersion, len(c.items), want.ResourceVersion, len(want.Items))
	}
	for i := range c.items {
		if !reflect.DeepEqual(c.items[i], want.Items[i]) {
			t.Fatalf("item %d is %v, want %v", i, c.items[i], want.Items[i])
		}
	}
}

// FuzzJSONList shows a list to apimachinery, and to a reader that gets it byte by byte. What apimachinery reads, the
// reader reads. If it reads what apimachinery does not, an object is broken.
func FuzzJSONList(f *testing.F) {
	for _, list := range []string{
		`{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"x"},"items":[` +
			`{"metadata":{"name":"a","namespace":"b","uid":"1","resourceVersion":"5"},"data":{"k":"v\n"}},{"metadata":{"name":"c"}}]}`,
		`{"items":[],"metadata":{}}`, `{"items":null}`, ` { "metadata" : { } , "items" : [ { } , {} ] } `, `{"items":[{"data":[]}]}`, `{"items":{}}`, `[]`,
		`{"\u0069tems":[{"metadata":{"name":"a"}}]}`,
	} {
		f.Add([]byte(list))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var want corev1.ConfigMapList
		wrong := utiljson.Unmarshal(data, &want)
		var got collected
		l := jsonList{in: newWindow(iotest.OneByteReader(bytes.NewReader(data)), 8), objects: configMaps().objects(), each: got.take}
		head, err := l.read()
		if twice(data) {
			return // apimachinery joins what comes twice
		}
		switch {
		case wrong == nil && err == nil && !got.broken:
			got.check(t, &head, &want)
		case wrong == nil && !bytes.HasPrefix(bytes.TrimSpace(data), []byte("null")) && !hasNull(data):
			t.Fatalf("apimachinery reads it; the reader says %v, broken %t", err, got.broken)
		case wrong != nil && err == nil && !got.broken:
			t.Fatalf("the reader reads it; apimachinery says %v", wrong)
		}
	})
}

// twice reports whether a list has a member twice.
func twice(data []byte) bool {
	from := json.NewDecoder(bytes.NewReader(data))
	if _, err := from.Token(); err != nil {
		return false
	}
	seen := map[json.Token]bool{}
	for from.More() {
		name, err := from.Token()
		if err != nil || seen[name] {
			return err == nil
		}
		seen[name] = true
		var value json.RawMessage
		if from.Decode(&value) != nil {
			return false
		}
	}
	return false
}

// hasNull reports whether an item may be null, which apimachinery takes for an empty object.
func hasNull(data []byte) bool { return bytes.Contains(data, []byte("null")) }

// FuzzProtoList is the same in protobuf.
func FuzzProtoList(f *testing.F) {
	list := corev1.ConfigMapList{ListMeta: metav1.ListMeta{ResourceVersion: "7", Continue: "x"}, Items: []corev1.ConfigMap{
		{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "1"}, Data: map[string]string{"k": "v"}}, {},
	}}
	raw, err := list.Marshal()
	must(f, err)
	f.Add(raw)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want corev1.ConfigMapList
		wrong := want.Unmarshal(raw)
		unknown := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: "ConfigMapList"}, Raw: raw}
		wrapped, err := unknown.Marshal()
		must(t, err)
		var got collected
		in := newWindow(iotest.OneByteReader(bytes.NewReader(append([]byte(protoPrefix), wrapped...))), 8)
		l := protoList{in: in, objects: configMaps().objects(), each: got.take}
		head, err := l.list()
		switch {
		case err != nil || got.broken:
			return // it knows no fields that are not bytes, which no list has
		case wrong != nil:
			t.Fatalf("the reader reads it; apimachinery says %v", wrong)
		case head.Kind != "ConfigMapList":
			t.Fatalf("it is a %s", head.Kind)
		}
		got.check(t, &head, &want)
	})
}

// FuzzWatch reads any bytes as a watch. It ends, whatever they are.
func FuzzWatch(f *testing.F) {
	f.Add([]byte(`{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}}`+"\n"), true)
	f.Add([]byte("\x00\x00\x00\x04\x0a\x02\x12\x00"), false)
	decoder := scheme.Codecs.UniversalDeserializer()
	f.Fuzz(func(t *testing.T, data []byte, inJSON bool) {
		o := configMaps().objects()
		o.events, o.decode = true, decoder
		in := newWindow(iotest.OneByteReader(bytes.NewReader(data)), 8)
		var from events = &protoWatch{in: in, objects: o}
		if inJSON {
			from = &jsonWatch{in: in, objects: o}
		}
		for range len(data) + 1 {
			what, got, err := from.next()
			switch {
			case err != nil:
				if end := ending(err); errors.Is(err, io.EOF) != errors.Is(end, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Fatalf("%v ends the watch with %v", err, end)
				}
				return
			case eventType([]byte(what)) == "":
				t.Fatalf("an event has the type %q", what)
			case got.err == nil && got.obj == nil:
				t.Fatal("an event has neither an object nor an error")
			}
		}
		t.Fatal("it has more events than bytes")
	})
}

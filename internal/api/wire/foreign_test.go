package wire

import (
	"bytes"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/delta-runtime/delta-runtime/internal/api/decode"
	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// resource keeps the bytes that it is decoded from.
type resource struct{ Value []byte }

func (r *resource) UnmarshalJSON(data []byte) error {
	r.Value = data
	return nil
}

// holder has a resource, as kinds of operators do.
type holder struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Resource          resource `json:"resource"`
}

func (h *holder) DeepCopyObject() runtime.Object { copied := *h; return &copied }

// oddHolder has something else, so its objects are left to others.
type oddHolder struct {
	holder  `json:",inline"`
	Address netip.Addr `json:"address"`
}

func (h *oddHolder) DeepCopyObject() runtime.Object { copied := *h; return &copied }

var holders = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Holder"}

// written is a holder. The resource says which one.
func written(i int) string {
	return fmt.Sprintf(`{"kind":"Holder","apiVersion":"example.com/v1","metadata":{"name":"h%d"},"resource":{"of":"%s%d"}}`,
		i, strings.Repeat("x", 100), i)
}

func checkHolder(t *testing.T, i int, obj runtime.Object) {
	t.Helper()
	var kept []byte
	switch h := obj.(type) {
	case *holder:
		kept = h.Resource.Value
	case *oddHolder:
		kept = h.Resource.Value
	}
	if want := fmt.Sprintf(`{"of":"%s%d"}`, strings.Repeat("x", 100), i); string(kept) != want {
		t.Errorf("object %d has kept %q, want %q", i, kept, want)
	}
}

// TestBytesThatAreKept reads more than a window has room for, of kinds whose decoders keep the bytes that they get.
func TestBytesThatAreKept(t *testing.T) {
	const n = 400
	for _, example := range []runtime.Object{&holder{}, &oddHolder{}} {
		known := runtime.NewScheme()
		known.AddKnownTypeWithName(holders, example)
		kind := Kind{GVK: holders, Example: example}
		kind.complete()
		if _, err := decode.TypeOf(example); (err != nil) != (kind.codec == nil) {
			t.Fatal(err)
		}
		t.Run(fmt.Sprintf("%T/list", example), func(t *testing.T) {
			var items []string
			for i := range n {
				items = append(items, written(i))
			}
			var got []runtime.Object
			text := `{"kind":"HolderList","apiVersion":"example.com/v1","items":[` + strings.Join(items, ",") + `]}`
			l := jsonList{in: newWindow(strings.NewReader(text), 1000), objects: kind.objects(), each: func(a arrival) { got = append(got, a.obj) }}
			if _, err := l.read(); err != nil || len(got) != n {
				t.Fatalf("it has %d objects, and ends with %v", len(got), err)
			}
			for i, obj := range got {
				checkHolder(t, i, obj)
			}
		})
		t.Run(fmt.Sprintf("%T/watch", example), func(t *testing.T) {
			var lines bytes.Buffer
			for i := range n {
				fmt.Fprintf(&lines, `{"type":"ADDED","object":%s}`+"\n", written(i))
			}
			o := kind.objects()
			o.events, o.decode = true, serializer.NewCodecFactory(known).UniversalDeserializer()
			w := jsonWatch{in: newWindow(&lines, 1000), objects: o}
			var got []runtime.Object
			for range n {
				_, a, err := w.next()
				if err != nil || a.err != nil {
					t.Fatal(err, a.err)
				}
				got = append(got, a.obj)
			}
			for i, obj := range got {
				checkHolder(t, i, obj)
			}
		})
	}
}

// slim is what a transform has made of an object: no runtime.Object, and it has lost its name.
type slim struct{ metav1.ObjectMeta }

// TestWhatATransformHasMadeIsKnown lists objects that are known in their versions, in another form.
func TestWhatATransformHasMadeIsKnown(t *testing.T) {
	stored := &slim{metav1.ObjectMeta{UID: "u", ResourceVersion: "7"}}
	kind := configMaps()
	kind.Known = func(key delta.Key) (any, bool) { return stored, key == delta.Key{Namespace: "a", Name: "b"} }
	const text = `"metadata":{"namespace":"a","name":"b","uid":"u","resourceVersion":"7"}`
	check := func(t *testing.T, got any, known bool, key delta.Key) {
		t.Helper()
		if got != any(stored) || !known || key != (delta.Key{Namespace: "a", Name: "b"}) {
			t.Errorf("it is %v, known %t, with the key %v", got, known, key)
		}
	}
	objects := kind.objects()
	objects.trusted = true
	t.Run("list", func(t *testing.T) {
		l := jsonList{in: newWindow(strings.NewReader(`{"items":[{`+text+`}]}`), 8), objects: objects, each: func(a arrival) {
			item := a.item()
			check(t, item.Obj, item.Known, item.Key)
		}}
		if _, err := l.read(); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("protobuf", func(t *testing.T) {
		message, err := (&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "b", UID: "u", ResourceVersion: "7"}}).Marshal()
		must(t, err)
		item := objects.proto(message)
		check(t, item.item().Obj, item.item().Known, item.item().Key)
	})
	t.Run("stream", func(t *testing.T) {
		objects.events = true
		frame := `{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1",` + text + `}}` + "\n"
		s := &stream{
			client: New(Client{Kind: *kind}), body: io.NopCloser(nil), cancel: func() {}, objects: objects,
			events: &jsonWatch{in: newWindow(strings.NewReader(frame), 8), objects: objects},
		}
		event, err := s.Next(t.Context())
		if err != nil || event.Err != nil || event.Op != delta.Added || event.Version != "7" {
			t.Errorf("it is %+v, %v", event, err)
		}
		check(t, event.New, event.Known, event.Key)
	})
	if event := (listwatch.Reader{}).Known(watch.Bookmark, delta.Key{}, "", nil); event.Err == nil {
		t.Error("a bookmark is known")
	}
}

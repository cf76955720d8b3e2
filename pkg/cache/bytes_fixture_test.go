package cache

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/api/objects"
	"github.com/delta-runtime/delta-runtime/internal/engine"
)

// sent is what a server answers to every request, in pieces of any size.
type sent struct {
	contentType string
	body        []byte
	rng         *rand.Rand
	broken      error // what the connection ends with; nil is a proper end
}

func (s *sent) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{"Content-Type": {s.contentType}},
		// client-go reads in a goroutine of its own, so each answer has its own dice.
		Body: io.NopCloser(&pieces{data: s.body, rng: rand.New(rand.NewPCG(s.rng.Uint64(), 0)), end: s.broken}),
	}, nil
}

// pieces reads some bytes at a time.
type pieces struct {
	data []byte
	rng  *rand.Rand
	end  error
}

func (p *pieces) Read(into []byte) (int, error) {
	if len(p.data) == 0 {
		if p.end != nil {
			return 0, p.end
		}
		return 0, io.EOF
	}
	n := 1 + p.rng.IntN(min(len(p.data), 1<<p.rng.IntN(14)))
	n = copy(into, p.data[:n])
	p.data = p.data[n:]
	return n, nil
}

// A tongue is a form of objects and what a server sends them in.
type tongue struct {
	name   string
	form   form
	binary bool
}

var tongues = []tongue{
	{"typed, json", typedForm, false},
	{"typed, protobuf", typedForm, true},
	{"unstructured", unstructuredForm, false},
	{"metadata, json", metadataForm, false},
	{"metadata, protobuf", metadataForm, true},
}

func (l tongue) contentType() string {
	if l.binary {
		return runtime.ContentTypeProtobuf
	}
	return runtime.ContentTypeJSON
}

// readers returns the two ways to read Pods from a server, ours and client-go's.
func (l tongue) readers(t *testing.T, server http.RoundTripper) (ours listwatch.Lister[any], theirs listwatch.ListWatcher[any]) {
	t.Helper()
	id := kindID{gvk: podKind, form: l.form}
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{corev1.SchemeGroupVersion})
	mapper.Add(podKind, meta.RESTScopeNamespace)
	config := &rest.Config{Host: "http://nowhere", QPS: -1}
	if !l.binary && l.form == typedForm {
		config.ContentType = runtime.ContentTypeJSON
	}
	made := &api{config, &http.Client{Transport: server}, mapper, serializer.NewCodecFactory(scheme.Scheme)}
	k := &kind{id: id}
	var err error
	if k.example, err = id.example(scheme.Scheme); err != nil {
		t.Fatal(err)
	}
	k.core = engine.New[any](nil, engine.Options[any]{Traits: objects.Traits})
	k.binding = &binding{api: made, id: id, late: func(*bound) {}}
	s := settings{Config: crcache.Config{EnableWatchBookmarks: new(true)}}
	byName := map[string]settings{"": s}
	k.byName.Store(&byName)
	return &byteReader{of: k, settings: s}, l.clientGo(t, config, made.http, k.example)
}

// clientGo lists and watches Pods with client-go's own clients.
func (l tongue) clientGo(t *testing.T, config *rest.Config, through *http.Client, example client.Object) listwatch.ListWatcher[any] {
	t.Helper()
	pods := corev1.SchemeGroupVersion.WithResource("pods")
	var c listwatch.Client
	switch l.form {
	case unstructuredForm:
		made, err := dynamic.NewForConfigAndClient(config, through)
		must(t, err)
		c = clientOf(made.Resource(pods))
	case metadataForm:
		made, err := metadata.NewForConfigAndClient(config, through)
		must(t, err)
		c = clientOf(made.Resource(pods))
	default:
		made, err := typed.NewForConfigAndClient(config, through)
		must(t, err)
		c = clientOf(made.Pods(metav1.NamespaceAll))
	}
	return listwatch.Lent(c, example)
}

// clientOf shows one of client-go's clients, whatever its lists are.
func clientOf[L runtime.Object](of interface {
	List(ctx context.Context, opts metav1.ListOptions) (L, error)
	Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error)
},
) listwatch.Client {
	return listwatch.Client{
		List:  func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) { return of.List(ctx, opts) },
		Watch: of.Watch,
	}
}

// known makes what the reader takes for known.
func known(of listwatch.Lister[any], objs ...client.Object) {
	txn := of.(*byteReader).of.core.Store().Begin(len(objs))
	for _, obj := range objs {
		txn.Put(keyOf(obj), obj)
	}
	txn.Commit("1")
}

// shown is a Pod in the form that a server sends it in.
func (l tongue) shown(t testing.TB, pod *corev1.Pod) runtime.Object {
	t.Helper()
	pod = pod.DeepCopy()
	if l.form == metadataForm {
		return &metav1.PartialObjectMetadata{
			TypeMeta:   metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadata"},
			ObjectMeta: pod.ObjectMeta,
		}
	}
	pod.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	return pod
}

// encode is an object on its own, as a server sends it.
func (l tongue) encode(t testing.TB, obj runtime.Object) []byte {
	t.Helper()
	if !l.binary {
		return inJSON(t, obj)
	}
	var to bytes.Buffer
	known := runtime.NewScheme()
	metav1.AddMetaToScheme(known) //nolint:errcheck // it never fails
	for _, s := range []*runtime.Scheme{scheme.Scheme, known} {
		to.Reset()
		if err := protobuf.NewSerializer(s, s).Encode(obj, &to); err == nil {
			return to.Bytes()
		}
	}
	t.Fatalf("%T can't be encoded", obj)
	return nil
}

func inJSON(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	must(t, err)
	return data
}

// list is a list of Pods, as a server sends it: its items don't say what they are, except metadata.
func (l tongue) list(t *testing.T, version string, pods []*corev1.Pod) []byte {
	t.Helper()
	about := metav1.ListMeta{ResourceVersion: version, Continue: "more"}
	if l.form == metadataForm {
		list := &metav1.PartialObjectMetadataList{ListMeta: about}
		list.TypeMeta = metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"}
		for _, pod := range pods {
			list.Items = append(list.Items, *l.shown(t, pod).(*metav1.PartialObjectMetadata))
		}
		return l.encode(t, list)
	}
	list := &corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}, ListMeta: about}
	for _, pod := range pods {
		pod := pod.DeepCopy()
		pod.TypeMeta = metav1.TypeMeta{}
		list.Items = append(list.Items, *pod)
	}
	return l.encode(t, list)
}

// event is an event of a watch, as a server sends it.
func (l tongue) event(t testing.TB, what watch.EventType, obj runtime.Object) []byte {
	t.Helper()
	raw := l.encode(t, obj)
	if !l.binary {
		return []byte(fmt.Sprintf(`{"type":%q,"object":%s}`+"\n", what, raw))
	}
	frame := metav1.WatchEvent{Type: string(what), Object: runtime.RawExtension{Raw: raw}}
	data, err := frame.Marshal()
	must(t, err)
	var to bytes.Buffer
	if _, err := protobufFramer.NewFrameWriter(&to).Write(data); err != nil {
		t.Fatal(err)
	}
	return to.Bytes()
}

var protobufFramer = func() runtime.Framer {
	for _, info := range serializer.NewCodecFactory(scheme.Scheme).SupportedMediaTypes() {
		if info.MediaType == runtime.ContentTypeProtobuf {
			return info.StreamSerializer.Framer
		}
	}
	panic("BUG: client-go knows no protobuf")
}()

package cache

import (
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	crtools "k8s.io/client-go/tools/cache"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/delta-runtime/delta-runtime/internal/testing/scrape"
)

// schemeOf has the program's own Go types for ConfigMaps.
func schemeOf(obj, list runtime.Object) *runtime.Scheme {
	s := runtime.NewScheme()
	s.AddKnownTypeWithName(corev1.SchemeGroupVersion.WithKind("ConfigMap"), obj)
	s.AddKnownTypeWithName(corev1.SchemeGroupVersion.WithKind("ConfigMapList"), list)
	metav1.AddToGroupVersion(s, corev1.SchemeGroupVersion)
	return s
}

// mesh has a message of protobuf in it, as some custom resources do. Each message leads to what describes all of them.
type mesh struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Data              meshData `json:"data"`
}

type meshData struct{ *structpb.Struct }

func (m *meshData) UnmarshalJSON(b []byte) error {
	m.Struct = &structpb.Struct{}
	return protojson.Unmarshal(b, m.Struct)
}

// DeepCopyObject copies the message, too.
func (m *mesh) DeepCopyObject() runtime.Object {
	to := &mesh{TypeMeta: m.TypeMeta, Data: meshData{proto.CloneOf(m.Data.Struct)}}
	m.ObjectMeta.DeepCopyInto(&to.ObjectMeta)
	return to
}

type meshList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []mesh `json:"items"`
}

// DeepCopyObject is there to satisfy the interface.
func (l *meshList) DeepCopyObject() runtime.Object { return &meshList{} }

func TestAKindWithMessagesOfProtobufSyncs(t *testing.T) {
	f := newFakeAPI(t, configFor("o", "first"))
	c := newCache(t, f, crcache.Options{Scheme: schemeOf(&mesh{}, &meshList{})}, Options{})
	start(t, c)
	var got mesh
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "a", Name: "first"}, &got); err != nil || got.Data.GetFields()["text"] == nil {
		t.Errorf("read is %v (%v)", got.Data, err)
	}
}

// lazy finds out its sum when it is first asked, as a type does that any number of goroutines may use.
type lazy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	once              sync.Once
	sums              map[string]int
}

func (l *lazy) sum() int {
	l.once.Do(func() { l.sums = map[string]int{l.Name: len(l.Name)} })
	return l.sums[l.Name]
}

// DeepCopyObject leaves out what is remembered.
func (l *lazy) DeepCopyObject() runtime.Object {
	to := &lazy{TypeMeta: l.TypeMeta}
	l.ObjectMeta.DeepCopyInto(&to.ObjectMeta)
	return to
}

type lazyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []lazy `json:"items"`
}

// DeepCopyObject is there to satisfy the interface.
func (l *lazyList) DeepCopyObject() runtime.Object { return &lazyList{} }

// lazyCache is of one such object. The handler is told of it, and updated of each update.
func lazyCache(t *testing.T, server answer, handler func(*lazy), updated func()) *Cache {
	t.Helper()
	c := cacheOver(t, answers{"configmaps": server}, crcache.Options{Mapper: newMapper(), Scheme: schemeOf(&lazy{}, &lazyList{})}, Options{})
	run(t, c)
	handle(t, informerOf(t, c, &lazy{}, crcache.BlockUntilSynced(false)), crtools.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { handler(obj.(*lazy)) },
		UpdateFunc: func(_, _ any) { updated() },
	})
	return c
}

// The race detector sees whether anybody looks at what the type guards.
func TestWhatATypeRemembersIsNoMutation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := lazyCache(t, stream(1, 0, true), func(l *lazy) {
			time.Sleep(1500 * time.Millisecond) // the first look is over
			l.sum()
		}, func() {})
		time.Sleep(4 * time.Second)
		if s := c.Status()[0]; s.Informer.Objects != 1 || s.Informer.Mutations != 0 {
			t.Errorf("there are %d objects and %d mutations: %s", s.Informer.Objects, s.Informer.Mutations, s.Why)
		}
	})
}

// A server repeats an event while a handler uses the object. The race detector sees whether the two states are compared
// where nobody may look. They are not, so they may differ, and the handler is told.
func TestARepeatedEventIsComparedWhileItsObjectIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		updates := 0
		lazyCache(t, repeating, func(l *lazy) {
			time.Sleep(3 * time.Second) // the event has come again
			l.sum()
		}, func() { updates++ })
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if updates != 1 {
			t.Errorf("the handler was told of %d updates, want one", updates)
		}
	})
}

// repeating answers a streaming list with one object, and shows it again a while later.
func repeating(r *http.Request) (*http.Response, error) {
	if !r.URL.Query().Has("sendInitialEvents") {
		return silence(r)
	}
	obj := object(r, "")
	obj["metadata"].(map[string]any)["resourceVersion"] = "3" // as the list's
	event := func(what string) [][]byte {
		return [][]byte{encode(map[string]any{"type": what, "object": obj}).Bytes()}
	}
	parts := slices.Concat(event("ADDED"), initialEvents(r, nil), event("MODIFIED"))
	return respond(http.StatusOK, &slowBody{ctx: r.Context(), each: time.Second, parts: parts}), nil
}

// All of a program's metrics would be missing.
func TestAKindWhoseTypeHasAMapOfItsOwnIsScraped(t *testing.T) {
	remembered := make(chan struct{})
	lazyCache(t, stream(1, 0, true), func(l *lazy) {
		l.sum()
		close(remembered)
	}, func() {})
	<-remembered
	const series = `delta_cache_bytes{form="",group="",kind="ConfigMap",version="v1"}`
	if got := scrape.Read(t, metrics.Registry, "delta_")[series]; got < 200 {
		t.Errorf("a ConfigMap takes %v bytes", got)
	}
}

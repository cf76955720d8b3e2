package mutation

import (
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// mesh has messages of protobuf in it, as some custom resources do. Each of them leads to what describes it, which leads
// to all else that describes anything.
type mesh struct {
	metav1.ObjectMeta
	Options descriptorpb.FieldOptions
	Spec    meshSpec
	Message *structpb.Struct
}

// meshSpec decodes itself.
type meshSpec struct{ *structpb.Struct }

func (s *meshSpec) UnmarshalJSON(b []byte) error {
	s.Struct = &structpb.Struct{}
	return protojson.Unmarshal(b, s.Struct)
}

// soon fails if something takes longer than any object may.
func soon(t *testing.T, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatalf("%s has not come to an end", what)
	}
}

// A message remembers what it was asked for.
func TestReadingAMessageOfProtobufIsNoMutation(t *testing.T) {
	var got []informer.Mutation
	m := New(Options{}, func(*mesh) string { return "" }, into(&got))
	o := &mesh{Message: &structpb.Struct{}}
	if err := json.Unmarshal([]byte(`{"Spec":{"a":"b","c":{"d":[1,2,3]}}}`), o); err != nil {
		t.Fatal(err)
	}
	soon(t, "Observe", func() { m.Observe(stored("a", o)) })
	_ = o.Options.String() + o.Spec.String() + o.Message.String()
	if _, err := proto.Marshal(&o.Options); err != nil {
		t.Fatal(err)
	}
	soon(t, "a look", m.LookAtAll)
	if len(got) > 0 {
		t.Errorf("a false alarm: %v", got)
	}
	o.Labels = map[string]string{"a": "b"}
	if soon(t, "a look", m.LookAtAll); len(got) != 1 || got[0].Paths[0] != `ObjectMeta.Labels["a"]` {
		t.Errorf("found %v beside messages, want the label", got)
	}
}

// lazy may be used by any number of goroutines: it guards what it remembers by a lock of its own.
type lazy struct {
	Name string

	mu       sync.Mutex
	compiled map[int]string
}

func (l *lazy) compile(i int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.compiled == nil {
		l.compiled = map[int]string{}
	}
	l.compiled[i%100] = l.Name
}

// Such an object is read while it is looked at. Nobody may look at what it guards: Go ends a program that reads a map
// which is written to.
func TestWhatATypeRemembersIsNoMutation(t *testing.T) {
	var got []informer.Mutation
	m := New(Options{}, func(*lazy) string { return "" }, into(&got))
	o := &lazy{Name: "a"}
	m.Observe(stored("a", o))
	soon(t, "the reader", func() {
		var reader sync.WaitGroup
		reader.Go(func() {
			for i := range 10_000 {
				o.compile(i)
			}
		})
		for range 1000 {
			m.LookAtAll()
		}
		reader.Wait()
	})
	m.LookAtAll()
	if len(got) > 0 {
		t.Errorf("a false alarm: %v", got)
	}
	o.Name = "b"
	if m.LookAtAll(); len(got) != 1 || got[0].Paths[0] != "Name" {
		t.Errorf("found %v, want the name", got)
	}
}

// memo decodes itself, so that nobody knows what its code does to it.
type memo struct{ Text, Upper string }

func (m *memo) UnmarshalText(text []byte) error {
	m.Text = string(text)
	return nil
}

func TestWhatDecodesItselfIsNotRead(t *testing.T) {
	type holder struct {
		By    map[string]*memo
		Value memo
		Names []byteOfItsOwn
	}
	o := &holder{By: map[string]*memo{"a": {Text: "x"}}, Names: []byteOfItsOwn{1}}
	print := takeFingerprint(o)
	o.By["a"].Upper, o.Value.Upper, o.Names[0] = "X", "Y", 2
	if !print.matches(o) {
		t.Errorf("a false alarm: %v", print.changedPaths(o))
	}
	if o.By["a"] = nil; print.matches(o) {
		t.Error("it is gone, and nobody saw it")
	}
}

// byteOfItsOwn decodes itself, too.
type byteOfItsOwn byte

func (b *byteOfItsOwn) UnmarshalText(text []byte) error {
	*b = byteOfItsOwn(len(text))
	return nil
}

// The keys of a map are read, and not what they lead to.
func TestKeysOfAMap(t *testing.T) {
	key := &lazy{Name: "a"}
	o := map[any]string{key: "x", 1: "y"}
	print := takeFingerprint(o)
	if key.compile(1); !print.matches(o) {
		t.Errorf("a false alarm: %v", print.changedPaths(o))
	}
	o[key], o[1] = "z", "z"
	if got := print.changedPaths(o); !slices.Equal(got, []string{`["*mutation.lazy"]`, `["1"]`}) {
		t.Errorf("changed are %v", got)
	}
}

// tangle leads to itself by more than one way, so that the number of its ways has no end.
type tangle struct {
	Parent, First, Last *tangle
	Name                string
}

func TestATangleIsNotWatched(t *testing.T) {
	var got []informer.Mutation
	m := New(Options{}, func(*tangle) string { return "" }, into(&got))
	o := &tangle{}
	o.First, o.Last = &tangle{Parent: o}, &tangle{Parent: o}
	plain := &tangle{}
	soon(t, "Observe", func() {
		m.Observe(stored("tangle", o))
		m.Observe(stored("plain", plain))
	})
	o.Name, plain.Name = "a", "b"
	if soon(t, "a look", m.LookAtAll); len(got) != 1 || got[0].Key != (delta.Key{Name: "plain"}) {
		t.Errorf("found %v, want only the plain one", got)
	}
	plain.First, plain.Last, plain.Parent = o, o, o
	if soon(t, "a look", m.LookAtAll); len(got) != 2 || got[1].Key != (delta.Key{Name: "plain"}) {
		t.Errorf("found %v, want the one that has become a tangle, too", got)
	}
	plain.Name = "c"
	if soon(t, "a look", m.LookAtAll); len(got) != 2 {
		t.Errorf("found %v in a tangle", got)
	}
}

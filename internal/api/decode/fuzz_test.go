package decode_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/delta-runtime/delta-runtime/internal/api/decode"
	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
)

// For a long run of one target, say
//
//	go test ./internal/api/decode -run '^$' -fuzz '^FuzzJSON$' -fuzztime 60m -fuzzminimizetime 20x -parallel 1

// fuzzed are the types that the fuzzers choose from. All but the last two are in protobuf, too.
var fuzzed = []any{&corev1.Pod{}, &corev1.ConfigMap{}, &corev1.Secret{}, &corev1.Node{}, &corev1.LimitRange{}, &widget{}, &known{}}

const fuzzedInProto = 5

// samples are objects of the types, which the fuzzers begin with and hold others against. The last is none.
func samples(examples []any) [][]any {
	var all [][]any
	for _, example := range examples {
		found := []any{few(example, 3), few(example, 4), reflect.New(reflect.TypeOf(example).Elem()).Interface(), nil}
		if _, is := example.(*corev1.Pod); is {
			found[0], found[1] = benchkit.Pods(1)[0], benchkit.Pods(2)[1]
		}
		all = append(all, found)
	}
	return all
}

// few is a random object with few parts: the smallest of some.
func few(example any, seed uint64) any {
	var smallest any
	for i := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, i))
		if obj := random(rng, reflect.TypeOf(example).Elem(), anything...); smallest == nil || len(encoded(obj)) < len(encoded(smallest)) {
			smallest = obj
		}
	}
	return smallest
}

// FuzzJSON holds JSON of some types against what apimachinery makes of it.
func FuzzJSON(f *testing.F) {
	likes := samples(fuzzed)
	for kind := range fuzzed {
		for like, obj := range likes[kind][:3] {
			f.Add([]byte(encoded(obj)), byte(kind), byte(like+1))
		}
	}
	for i, text := range instead {
		f.Add([]byte(`{"spec":{"values":{"a":`+text+`}},"raw":`+text+`,"data":{"a":`+text+`}}`), byte(i), byte(i))
	}
	f.Fuzz(func(t *testing.T, data []byte, kind, like byte) {
		n := int(kind) % len(fuzzed)
		newSubject(t, fuzzed[n]).holds(t, asJSON, data, likes[n][like%4])
	})
}

// FuzzUnstructured holds JSON of any type against what apimachinery makes of it, and against other JSON.
func FuzzUnstructured(f *testing.F) {
	pods := benchkit.Pods(2)
	f.Add([]byte(encoded(pods[0])), []byte(encoded(pods[1])))
	for _, text := range instead {
		f.Add([]byte(`{"kind":"Thing","items":[{"a":`+text+`}],"b":`+text+`}`), []byte(`{"items":[{"a":1}],"b":{"a":1}}`))
	}
	f.Fuzz(func(t *testing.T, data, other []byte) {
		s := newSubject(t, &unstructured.Unstructured{})
		like, err := judgeJSON(s, other)
		if err != nil {
			like = nil
		}
		s.holds(t, asJSON, data, like)
	})
}

// FuzzProto holds protobuf against what the types' own code makes of it.
func FuzzProto(f *testing.F) {
	likes := samples(fuzzed[:fuzzedInProto])
	for kind := range likes {
		for like, obj := range likes[kind][:3] {
			f.Add(sent(obj), byte(kind), byte(like+1))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, kind, like byte) {
		n := int(kind) % fuzzedInProto
		newSubject(t, fuzzed[n]).holds(t, asProto, data, likes[n][like%4])
	})
}

func sent(obj any) []byte {
	data, err := obj.(interface{ Marshal() ([]byte, error) }).Marshal()
	if err != nil {
		panic(err)
	}
	return data
}

// FuzzHead reads the heads of objects. It must agree with the object, if that is decoded here: others read more than
// is certain, such as a name that comes twice.
func FuzzHead(f *testing.F) {
	for _, obj := range samples(fuzzed[:1])[0][:3] {
		f.Add([]byte(encoded(obj)), true)
		f.Add(sent(obj), false)
	}
	for _, text := range instead {
		f.Add([]byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"labels":`+text+`,"ownerReferences":[{"uid":"a","controller":false},`+
			`{"controller":true,"uid":"b"}],"uid":"c","name":"d","namespace":"e","resourceVersion":`+text+`}}`), true)
		f.Add([]byte(text), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, namespaced bool) {
		headOfJSON(t, data, namespaced)
		headOfProto(t, data)
	})
}

func headOfJSON(t *testing.T, data []byte, namespaced bool) {
	t.Helper()
	decoder, raw := json.NewDecoder(bytes.NewReader(data)), json.RawMessage{}
	if end := decode.Pass(data); decoder.Decode(&raw) == nil && end != int(decoder.InputOffset()) {
		t.Errorf("it ends at %d, want %d: %q", end, decoder.InputOffset(), data)
	} else if end < 0 || end > len(data) {
		t.Errorf("it ends at %d of %d: %q", end, len(data), data)
	}
	head, ok := decode.ReadHead(data, namespaced)
	head.ReadOwner(data)
	obj, end, accepted := newSubject(t, &metav1.PartialObjectMetadata{}).decoder.JSON(data, nil)
	if !accepted {
		return
	}
	if passed := decode.Pass(data); passed != end {
		t.Errorf("it ends at %d, and decoded at %d: %q", passed, end, data)
	}
	about := obj.(*metav1.PartialObjectMetadata)
	if ok && (namespaced || about.Namespace == "") { // else its kind is not that of the caller
		sameHead(t, &head, about, data)
	}
}

func headOfProto(t *testing.T, data []byte) {
	t.Helper()
	s := newSubject(t, &metav1.PartialObjectMetadata{})
	head, ok := s.codec.ReadProtoHead(data)
	obj, accepted := s.decoder.Proto(data, nil)
	if accepted && ok {
		sameHead(t, &head, obj.(*metav1.PartialObjectMetadata), data)
	}
}

// sameHead compares a head with the object.
func sameHead(t *testing.T, head *decode.Head, obj *metav1.PartialObjectMetadata, data []byte) {
	t.Helper()
	got := [...]string{string(head.Namespace), string(head.Name), string(head.UID), string(head.Version), string(head.Controller())}
	want := [...]string{obj.Namespace, obj.Name, string(obj.UID), obj.ResourceVersion, ""}
	if owner := metav1.GetControllerOf(obj); owner != nil {
		want[4] = string(owner.UID)
	}
	if got != want {
		t.Errorf("the head has %q, want %q: %q", got, want, data)
	}
	if !head.Is(obj.UID, obj.ResourceVersion) && obj.ResourceVersion != "" {
		t.Errorf("the head is of another object: %q", data)
	}
	for found, want := range map[string]string{string(head.Kind): obj.Kind, string(head.APIVersion): obj.APIVersion} {
		if found != "" && found != want { // they may stand behind the metadata
			t.Errorf("the head has %q, want %q: %q", found, want, data)
		}
	}
}

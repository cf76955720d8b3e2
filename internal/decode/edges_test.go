package decode_test

import (
	"fmt"
	"reflect"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
)

// TestManyAtOnceAreLikeOne decodes in some goroutines what is like the same object. The race detector sees it if one
// of them writes there, and so do maps.
func TestManyAtOnceAreLikeOne(t *testing.T) {
	tree := map[string]any{"a": map[string]any{"b": []any{"c", map[string]any{"d": int64(1)}}}, "e": []any{[]any{}, 1.5}}
	pod := benchkit.Pods(1)[0]
	for _, like := range []any{
		&widget{Spec: widgetSpec{Values: tree, Template: corev1.PodTemplateSpec{Spec: pod.Spec}}},
		&dynamics{Any: tree, Anys: []any{tree}, Map: tree, Maps: map[string]map[string]any{"x": tree}, Lists: map[string][]any{"x": {tree}}},
		&collections{Maps: map[string]map[string]string{"a": {"b": "c"}}, Structs: map[string]Deep{"a": {}}, Slices: map[string][]string{"a": {"b"}}},
		&unstructured.Unstructured{Object: tree},
		benchkit.Private(pod),
	} {
		t.Run(reflect.TypeOf(like).Elem().Name(), func(t *testing.T) {
			text := []byte(encoded(contents(like)))
			var running sync.WaitGroup
			for range 8 {
				running.Go(func() {
					s := newSubject(t, like)
					for range 200 {
						if obj, _, ok := s.decoder.JSON(text, like); !ok || obj == nil {
							t.Errorf("refused: %s", text)
						}
					}
				})
			}
			running.Wait()
		})
	}
}

// TestFieldSets holds field sets against others that are like their beginning, and against none.
func TestFieldSets(t *testing.T) {
	s := newSubject(t, &corev1.Pod{})
	sets := []string{`{}`, `{"f:a":{}}`, `{"f:a":{},"f:b":{}}`, `{"a":"}"}`, `{"a":"\""}`, `{"a":"\"}"}`, "{ }", "{\n}", `{"a":{"}":{}}}`, `{"\ud800":{}}`, "{\"\xff\":{}}", ``, `null`}
	var likes []any
	for _, text := range sets {
		about := metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{{FieldsV1: metav1.NewFieldsV1(text)}}}
		likes = append(likes, &corev1.Pod{ObjectMeta: about})
	}
	for _, text := range append(sets, `{"f:a":{}},"time":"2026-03-01T12:00:00Z"`, `{ab}`, `{"f:a"}`, `{"a":"b`, `{}}`, `{},{}`, `[]`, `"{}"`) {
		s.holds(t, asJSON, fmt.Appendf(nil, `{"metadata":{"managedFields":[{"fieldsV1":%s}]}}`, text), likes...)
	}
}

// TestHeadsOutOfOrder reads heads whose fields come in an order that nobody sends them in.
func TestHeadsOutOfOrder(t *testing.T) {
	field := func(about metav1.ObjectMeta) []byte { return sent(&about) }
	one := field(metav1.ObjectMeta{Name: "a", UID: "b", ResourceVersion: "1"})
	// Two owners that control it, each of which says so before it says who it is.
	owners := []byte("\x6a\x0b\x30\x01\x22\x01c\x0a\x00\x1a\x00\x2a\x00\x6a\x0b\x30\x01\x22\x01d\x0a\x00\x1a\x00\x2a\x00")
	fields := field(metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "m"}}})
	for name, about := range map[string][]byte{
		"in order":                  append(one[:len(one):len(one)], owners...),
		"managed fields come first": append(fields[:len(fields):len(fields)], append(one, owners...)...),
		"owners come first":         append(owners[:len(owners):len(owners)], one...),
	} {
		t.Run(name, func(t *testing.T) {
			headOfProto(t, append([]byte{0x0a, byte(len(about))}, about...))
		})
	}
}

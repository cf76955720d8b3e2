//go:build slow

package footprint

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
	"github.com/delta-runtime/delta-runtime/internal/testing/samples"
)

// decoded returns how to make a value that shares nothing with any other.
func decoded[T any](t *testing.T, like any) func() any {
	t.Helper()
	text, err := json.Marshal(like)
	if err != nil {
		t.Fatal(err)
	}
	return func() any {
		v := new(T)
		if err := json.Unmarshal(text, v); err != nil {
			t.Error(err)
		}
		return v
	}
}

func manyKeys(n int) *unstructured.Unstructured {
	spec := map[string]any{}
	for i := range n {
		spec[fmt.Sprint("key-number-", i)] = map[string]any{"a": "some text", "n": int64(i)}
	}
	return &unstructured.Unstructured{Object: map[string]any{"kind": "Wide", "apiVersion": "example.com/v1", "spec": spec}}
}

func TestAgainstTheHeap(t *testing.T) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}, Data: map[string][]byte{"tls.crt": make([]byte, 3000), "tls.key": make([]byte, 1700)}}
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c"}, Data: map[string]string{}}
	for i := range 300 {
		config.Data[fmt.Sprint("setting-number-", i)] = strings.Repeat("v", i)
	}
	podAsContent := decoded[unstructured.Unstructured](t, &unstructured.Unstructured{Object: samples.Tree(pod())})
	for name, tt := range map[string]func() any{
		"pod":                     decoded[corev1.Pod](t, pod()),
		"bare pod":                decoded[corev1.Pod](t, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "bare"}}),
		"deployment":              decoded[appsv1.Deployment](t, samples.Web()),
		"secret":                  decoded[corev1.Secret](t, secret),
		"config map":              decoded[corev1.ConfigMap](t, config),
		"unstructured pod":        podAsContent,
		"unstructured deployment": decoded[unstructured.Unstructured](t, &unstructured.Unstructured{Object: samples.Tree(samples.Web())}),
		"unstructured with many":  decoded[unstructured.Unstructured](t, manyKeys(3000)),
		"strings":                 func() any { return strings.Split(strings.Clone(strings.Repeat("text,", 100)), ",") },
		"bytes":                   func() any { b := make([]byte, 100_000); return &b },
		"numbers":                 func() any { return map[int]int{1: 2, 3: 4} },
		"large values":            func() any { return map[string][40]int{"a": {}, "b": {}} },
	} {
		t.Run(name, func(t *testing.T) {
			const many = 200
			objects := make([]any, many)
			heap := benchkit.StartHeap()
			for i := range objects {
				objects[i] = tt()
			}
			took := int64(heap.Grown(many, objects))
			var said int64
			for _, obj := range objects {
				said += Of(obj)
			}
			said /= many
			t.Logf("it takes %d bytes, the estimate is %d", took, said)
			if name != "strings" && (said < took*3/4 || said > took*5/4) { // all of these strings are parts of one
				t.Errorf("it takes %d bytes, the estimate is %d", took, said)
			}
		})
	}
}

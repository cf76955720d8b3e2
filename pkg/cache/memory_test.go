package cache

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/memory"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// plain is a kind of a user's, without protobuf.
type plain struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec map[string]int64 `json:"spec,omitempty"`
}

func (p *plain) DeepCopyObject() runtime.Object {
	c := *p
	return &c
}

// TestASavedObjectIsReadAsItWas encodes and decodes an object in each form in which a cache may have it.
func TestASavedObjectIsReadAsItWas(t *testing.T) {
	meta := metav1.ObjectMeta{Namespace: "n", Name: "a", UID: "u", ResourceVersion: "7", Labels: map[string]string{"l": "1"}}
	pod := corev1.SchemeGroupVersion.WithKind("Pod")
	partial := &metav1.PartialObjectMetadata{ObjectMeta: meta}
	partial.SetGroupVersionKind(pod)
	for name, c := range map[string]struct {
		form form
		obj  client.Object
	}{
		"protobuf": {typedForm, &corev1.Pod{ObjectMeta: meta, Spec: corev1.PodSpec{NodeName: "x"}}},
		"JSON":     {typedForm, &plain{ObjectMeta: meta, Spec: map[string]int64{"x": 1}}},
		"metadata": {metadataForm, partial},
		"unstructured": {unstructuredForm, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "a"}, "spec": map[string]any{"n": int64(1), "f": 1.5, "l": []any{true, nil}},
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			example := reflect.New(reflect.TypeOf(c.obj).Elem()).Interface().(client.Object)
			r := &remembered{of: &kind{id: kindID{pod, c.form}, example: example}}
			data, err := r.Encode(nil, c.obj)
			must(t, err)
			got, err := r.Decode(data)
			if err != nil || !reflect.DeepEqual(got, c.obj) {
				t.Errorf("read %#v (%v), want %#v", got, err, c.obj)
			}
			if _, err := r.Encode(nil, "a slim one"); err == nil || !strings.Contains(err.Error(), "a transform") {
				t.Errorf("what a transform has made: %v", err)
			}
			for _, wrong := range [][]byte{nil, {'?'}, append([]byte{savedJSON}, "{"...), {savedProto, 0xff}} {
				if _, err := r.Decode(wrong); err == nil {
					t.Errorf("%q is read without an error", wrong)
				}
			}
		})
	}
}

// TestAKindIsSavedUnderTheSelectorsThatItHas exchanges the only namespace for another one and back. It comes back with a selector or without
// one. Then the cache has not what the first selectors would have given.
func TestAKindIsSavedUnderTheSelectorsThatItHas(t *testing.T) {
	narrow := crcache.Config{LabelSelector: labels.SelectorFromSet(labels.Set{"l": "1"})}
	for name, c := range map[string]struct {
		back  crcache.Config
		saved int
	}{
		"the same selector": {narrow, 1},
		"no selector":       {crcache.Config{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir, exchanged := t.TempDir(), newCache(t, newFakeAPI(t), crcache.Options{DefaultNamespaces: map[string]crcache.Config{"red": narrow}}, Options{})
			exchanged.runtime.Memory = memory.New(memory.Options{Dir: dir})
			informerOf(t, exchanged, configMaps)
			stop := start(t, exchanged)
			for _, step := range []error{
				exchanged.AddNamespace(t.Context(), "blue", crcache.Config{}),
				exchanged.RemoveNamespace(t.Context(), "red", informer.Silently),
				exchanged.AddNamespace(t.Context(), "red", c.back),
				exchanged.RemoveNamespace(t.Context(), "blue", informer.Silently),
			} {
				if step != nil {
					t.Fatal(step)
				}
			}
			stop()
			if files, _ := filepath.Glob(filepath.Join(dir, "*.save")); len(files) != c.saved {
				t.Errorf("it has saved %q, want %d", files, c.saved)
			}
		})
	}
}

package wireserver

import (
	"encoding/json"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

// A dialect is a kind in a format: what a client asks for.
type dialect struct {
	kind     schema.GroupVersionKind
	resource string
	path     string
	format   Format
}

var dialects = map[string]dialect{
	"pods as JSON":     {corev1.SchemeGroupVersion.WithKind("Pod"), "pods", "/api/v1/pods", JSON},
	"pods as protobuf": {corev1.SchemeGroupVersion.WithKind("Pod"), "pods", "/api/v1/pods", Protobuf},
	"custom objects":   {workloads, "workloads", "/apis/bench.example.com/v1/workloads", JSON},
}

var workloads = schema.GroupVersionKind{Group: "bench.example.com", Version: "v1", Kind: "Workload"}

func (d dialect) ask(t *testing.T, of address, query string) *answer {
	t.Helper()
	return ask(t, of, d.path+query, d.format.contentType())
}

// server makes a Server with a collection of the kind.
func (d dialect) server(t *testing.T, c Collection) *Server {
	t.Helper()
	c.Kind, c.Resource, c.Formats = d.kind, d.resource, []Format{d.format}
	for _, obj := range c.Objects {
		obj.GetObjectKind().SetGroupVersionKind(d.kind)
	}
	s, err := New(c)
	must(t, err)
	return s
}

// objects are those of a list, and its version.
func (d dialect) objects(t *testing.T, body string) (objects []Object, version int64, next string) {
	t.Helper()
	var about metav1.ListMeta
	if d.kind == workloads {
		list := &unstructured.UnstructuredList{}
		must(t, list.UnmarshalJSON([]byte(body)))
		for i := range list.Items {
			objects = append(objects, &list.Items[i])
		}
		about.ResourceVersion, about.Continue = list.GetResourceVersion(), list.GetContinue()
	} else {
		list := &corev1.PodList{}
		d.decode(t, body, list)
		for i := range list.Items {
			objects = append(objects, &list.Items[i])
		}
		about = list.ListMeta
	}
	return objects, number(t, about.ResourceVersion), about.Continue
}

// decode decodes a typed object.
func (d dialect) decode(t *testing.T, text string, into runtime.Object) {
	t.Helper()
	var err error
	if d.format == JSON {
		err = json.Unmarshal([]byte(text), into)
	} else {
		_, _, err = protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Decode([]byte(text), nil, into)
	}
	must(t, err)
}

// event is the object of an event.
func (d dialect) event(t *testing.T, frame string) Object {
	t.Helper()
	var event metav1.WatchEvent
	if d.format == Protobuf {
		must(t, event.Unmarshal([]byte(frame[4:])))
		var pod corev1.Pod
		d.decode(t, string(event.Object.Raw), &pod)
		return &pod
	}
	var object unstructured.Unstructured
	must(t, json.Unmarshal([]byte(frame), &event))
	must(t, object.UnmarshalJSON(event.Object.Raw))
	return &object
}

func number(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	must(t, err)
	return n
}

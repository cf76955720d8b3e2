package wireserver

import (
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
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

// TestBytesAreThoseOfAnAPIServer has a real API server and a Server with the real one's objects
// answer the same requests.
func TestBytesAreThoseOfAnAPIServer(t *testing.T) {
	plane := controlplane.ForTest(t, controlplane.Options{})
	api := fill(t, plane)
	at := addressOf(t, plane.Config())
	for name, d := range dialects {
		t.Run(name, func(t *testing.T) {
			t.Run("whole list", func(t *testing.T) { d.wholeList(t, at) })
			t.Run("pages", func(t *testing.T) { d.pages(t, at) })
			t.Run("streaming list", func(t *testing.T) { d.streamingList(t, at) })
			t.Run("watch", func(t *testing.T) { d.watch(t, at, api) })
		})
	}
	plane.KillAPIServer() // and with it its memory of old versions
	if err := plane.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, d := range dialects {
		t.Run(name+", expired watch", func(t *testing.T) { d.expired(t, at) })
	}
}

// TestRefusedStreamsAreAsAnAPIServerRefusesThem asks servers that don't stream lists for one.
func TestRefusedStreamsAreAsAnAPIServerRefusesThem(t *testing.T) {
	plane := controlplane.ForTest(t, controlplane.Options{FeatureGates: map[string]bool{"WatchList": false}})
	at := addressOf(t, plane.Config())
	for name, d := range dialects {
		if d.kind == workloads {
			continue // that would take a CRD to ask for the same
		}
		t.Run(name, func(t *testing.T) {
			real := d.ask(t, at, streaming)
			same(t, real, d.ask(t, serving(t, d.server(t, Collection{Objects: []Object{&corev1.Pod{}}})), streaming))
		})
	}
}

const streaming = "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"

// many objects are so many that an API server compresses a list of them.
const many = 30

// fill gives the control plane objects of each kind.
func fill(t *testing.T, plane *controlplane.Plane) client.Client {
	t.Helper()
	api, err := client.New(plane.Config(), client.Options{HTTPClient: controlplane.HTTPClientForTest(t, plane.Config())})
	if err != nil {
		t.Fatal(err)
	}
	create := func(obj client.Object) {
		t.Helper()
		if err := api.Create(t.Context(), obj); err != nil {
			t.Fatal(err)
		}
	}
	create(definition())
	await.Success(t, "the server to serve "+workloads.Kind, func() error {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(workloads)
		return api.List(t.Context(), list)
	})
	for i, like := range benchkit.Pods(many) {
		pod := &corev1.Pod{Spec: like.Spec}
		pod.Name, pod.Namespace, pod.Labels, pod.Annotations = fmt.Sprintf("web-%03d", i), "default", like.Labels, like.Annotations
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(pod)
		if err != nil {
			t.Fatal(err)
		}
		custom := &unstructured.Unstructured{Object: fields}
		custom.SetGroupVersionKind(workloads)
		create(custom)
		pod.Spec.Priority = nil // the server sets it
		create(pod)
	}
	return api
}

// definition is the CRD.
func definition() *unstructured.Unstructured {
	crd := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"group": workloads.Group, "scope": "Namespaced",
		"names": map[string]any{"plural": "workloads", "kind": workloads.Kind},
		"versions": []any{map[string]any{
			"name": workloads.Version, "served": true, "storage": true,
			"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
		}},
	}}}
	crd.SetAPIVersion("apiextensions.k8s.io/v1")
	crd.SetKind("CustomResourceDefinition")
	crd.SetName("workloads." + workloads.Group)
	return crd
}

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
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// objects are those of a list, and its version.
func (d dialect) objects(t *testing.T, body string) (objects []Object, version int64, next string) {
	t.Helper()
	var about metav1.ListMeta
	if d.kind == workloads {
		list := &unstructured.UnstructuredList{}
		if err := list.UnmarshalJSON([]byte(body)); err != nil {
			t.Fatal(err)
		}
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
	if err != nil {
		t.Fatal(err)
	}
}

// event is the object of an event.
func (d dialect) event(t *testing.T, frame string) Object {
	t.Helper()
	var event metav1.WatchEvent
	if d.format == Protobuf {
		if err := event.Unmarshal([]byte(frame[4:])); err != nil {
			t.Fatal(err)
		}
		var pod corev1.Pod
		d.decode(t, string(event.Object.Raw), &pod)
		return &pod
	}
	var object unstructured.Unstructured
	if err := json.Unmarshal([]byte(frame), &event); err != nil {
		t.Fatal(err)
	}
	if err := object.UnmarshalJSON(event.Object.Raw); err != nil {
		t.Fatal(err)
	}
	return &object
}

func number(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

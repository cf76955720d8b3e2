package wireserver

import (
	"fmt"
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// threePods is a collection with a change to each of its Pods.
func threePods() Collection {
	pod := func(i, version int) Object {
		pod := &corev1.Pod{}
		pod.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
		pod.Name, pod.Namespace, pod.ResourceVersion = fmt.Sprint("web-", i), "default", fmt.Sprint(version)
		return pod
	}
	c := Collection{Version: 10, Changes: func(yield func(int, Object) bool) {
		for i := range 3 {
			if !yield(i, pod(i, 11+i)) {
				return
			}
		}
	}}
	for i := range 3 {
		c.Objects = append(c.Objects, pod(i, i+1))
	}
	return c
}

var podsAsJSON = dialects["pods as JSON"]

func TestWhatIsNotServedIsRefused(t *testing.T) {
	at := serving(t, podsAsJSON.server(t, threePods()))
	for path, status := range map[string]int{
		"?labelSelector=a":         http.StatusBadRequest,
		"?fieldSelector=a":         http.StatusBadRequest,
		"?watch=1&fieldSelector=a": http.StatusBadRequest,
		"?continue=a":              http.StatusBadRequest,
		"?continue=1-0":            http.StatusGone,
		"/web-1":                   http.StatusNotFound,
	} {
		if a := podsAsJSON.ask(t, at, path); a.StatusCode != status {
			t.Errorf("%s is answered with %d, want %d", path, a.StatusCode, status)
		}
	}
	if a := ask(t, at, podsAsJSON.path, "application/vnd.kubernetes.protobuf"); a.StatusCode != http.StatusNotAcceptable {
		t.Errorf("a format that is not served is answered with %d", a.StatusCode)
	}
}

func TestCollectionsMustMakeSense(t *testing.T) {
	c := threePods()
	c.Version++
	c.Kind, c.Formats = podsAsJSON.kind, []Format{JSON}
	if _, err := New(c); err == nil {
		t.Error("a change with a version that is another's is served")
	}
	c = threePods()
	c.Kind, c.Formats = workloads, []Format{JSON}
	if _, err := New(c); err == nil {
		t.Error("Pods are served as something else")
	}
}

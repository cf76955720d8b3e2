package wireserver

import (
	"fmt"
	"net/http"
	"strings"
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

func TestListsHaveWhatWasReleased(t *testing.T) {
	s := podsAsJSON.server(t, threePods())
	at := serving(t, s)
	for released, want := range []string{"10: 1 2 3", "11: 11 2 3", "12: 11 12 3", "13: 11 12 13"} {
		objects, version, _ := podsAsJSON.objects(t, podsAsJSON.ask(t, at, "").successful(t).unzipped(t))
		got := fmt.Sprint(version, ":")
		for _, obj := range objects {
			got += " " + obj.GetResourceVersion()
			if is := s.Versions()[obj.GetNamespace()+"/"+obj.GetName()]; is != obj.GetResourceVersion() {
				t.Errorf("%s is said to have version %s", obj.GetName(), is)
			}
		}
		if got != want {
			t.Errorf("after %d changes the list is %q, want %q", released, got, want)
		}
		if err := s.Release(1); (err != nil) != (released == 3) {
			t.Fatalf("release change %d: %v", released, err)
		}
	}
}

// TestWatchesBeginAnywhere checks that a watch brings what has happened since its version, and
// then what happens.
func TestWatchesBeginAnywhere(t *testing.T) {
	for since := range 3 {
		s := podsAsJSON.server(t, threePods())
		if err := s.Release(2); err != nil {
			t.Fatal(err)
		}
		watch := podsAsJSON.ask(t, serving(t, s), fmt.Sprint("?watch=1&resourceVersion=", 10+since)).successful(t)
		var got []string
		for range 2 - since {
			got = append(got, podsAsJSON.event(t, watch.frames(t, JSON, 1)[0]).GetResourceVersion())
		}
		if err := s.Release(1); err != nil {
			t.Fatal(err)
		}
		got = append(got, podsAsJSON.event(t, watch.frames(t, JSON, 1)[0]).GetResourceVersion())
		if want := []string{"11", "12", "13"}[since:]; strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("a watch since %d brings %v, want %v", 10+since, got, want)
		}
	}
}

// TestOpenWatchesExpire checks that a watch ends, and that the list which follows has what the
// watch has missed.
func TestOpenWatchesExpire(t *testing.T) {
	s := podsAsJSON.server(t, threePods())
	at := serving(t, s)
	watch := podsAsJSON.ask(t, at, "?watch=1&resourceVersion=10").successful(t)
	if err := s.Expire(0); err == nil {
		t.Error("a watch that has seen everything can't expire")
	}
	if err := s.Expire(2); err != nil {
		t.Fatal(err)
	}
	if said := watch.body(t); !strings.Contains(said, `"code":410`) {
		t.Errorf("the watch says %q", said)
	}
	_, version, _ := podsAsJSON.objects(t, podsAsJSON.ask(t, at, "").successful(t).unzipped(t))
	if version != 12 {
		t.Errorf("the list has version %d", version)
	}
	watch = podsAsJSON.ask(t, at, "?watch=1&resourceVersion=12").successful(t)
	if err := s.Release(1); err != nil {
		t.Fatal(err)
	}
	if got := podsAsJSON.event(t, watch.frames(t, JSON, 1)[0]).GetResourceVersion(); got != "13" {
		t.Errorf("the next watch brings version %s", got)
	}
}

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
		if a := podsAsJSON.ask(t, at, path); a.status != status {
			t.Errorf("%s is answered with %d, want %d", path, a.status, status)
		}
	}
	if a := ask(t, at, podsAsJSON.path, "application/vnd.kubernetes.protobuf"); a.status != http.StatusNotAcceptable {
		t.Errorf("a format that is not served is answered with %d", a.status)
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

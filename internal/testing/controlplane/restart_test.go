//go:build slow

package controlplane

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

// resume watches config maps from a version, and returns the first thing that the
// watch says or the error of the request.
func resume(t *testing.T, client kubernetes.Interface, version string) (watch.Event, error) {
	t.Helper()
	w, err := client.CoreV1().ConfigMaps("default").Watch(t.Context(), metav1.ListOptions{ResourceVersion: version})
	if err != nil {
		return watch.Event{}, err
	}
	defer w.Stop()
	event := <-w.ResultChan()
	if event.Type == watch.Error {
		return event, apierrors.FromObject(event.Object)
	}
	return event, nil
}

func TestDataOutlivesTheAPIServer(t *testing.T) {
	p := ForTest(t, Options{})
	client := clientFor(t, p.Config())
	first := create(t, client, "first")

	p.KillAPIServer()
	if _, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), "first", metav1.GetOptions{}); err == nil {
		t.Error("a dead API server answered")
	}
	p.KillAPIServer() // it is dead already
	for range 2 {     // the second time it is up already
		if err := p.StartAPIServer(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	again, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), "first", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if again.UID != first.UID || again.ResourceVersion != first.ResourceVersion {
		t.Errorf("got %s at %s, want %s at %s", again.UID, again.ResourceVersion, first.UID, first.ResourceVersion)
	}
}

func TestRestartForgetsOldVersions(t *testing.T) {
	p := ForTest(t, Options{})
	client := clientFor(t, p.Config())
	first := create(t, client, "first")
	second := create(t, client, "second")

	event, err := resume(t, client, first.ResourceVersion)
	if err != nil || event.Object.(*corev1.ConfigMap).UID != second.UID {
		t.Fatalf("before the restart a watch resumes with %v and error %v", event.Object, err)
	}
	if _, err := p.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := resume(t, client, first.ResourceVersion); err != nil {
		t.Errorf("compaction alone made the API server forget: %v", err)
	}
	p.KillAPIServer()
	if err := p.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := resume(t, client, first.ResourceVersion); !apierrors.IsResourceExpired(err) {
		t.Errorf("after the restart a watch resumes with error %v, want expired", err)
	}
}

func TestCompactForgetsOldVersionsWithoutWatchCache(t *testing.T) {
	p := ForTest(t, Options{APIServerFlags: []string{"--watch-cache=false"}})
	client := clientFor(t, p.Config())
	first := create(t, client, "first")
	create(t, client, "second")
	third := create(t, client, "third") // the latest change outlives a compaction, the one before does not

	if _, err := resume(t, client, first.ResourceVersion); err != nil {
		t.Fatalf("before the compaction: %v", err)
	}
	at, err := p.Compact(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(at); len(got) < len(third.ResourceVersion) || got < third.ResourceVersion {
		t.Errorf("compacted at %s, older than what was there: %s", got, third.ResourceVersion)
	}
	if _, err := resume(t, client, first.ResourceVersion); !apierrors.IsResourceExpired(err) {
		t.Errorf("after the compaction a watch resumes with error %v, want expired", err)
	}
	for range 3 { // the API server writes now and then by itself, but not as often as this
		if _, err := p.Compact(t.Context()); err != nil {
			t.Errorf("compact what may have no past: %v", err)
		}
	}
}

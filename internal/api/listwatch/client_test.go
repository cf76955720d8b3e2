package listwatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

func configMap(name, version string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: version}}
}

// listing is a client that gives every list this answer.
func listing(list runtime.Object, err error) Client {
	return Client{List: func(context.Context, metav1.ListOptions) (runtime.Object, error) { return list, err }}
}

// watching is a client that gives every watch this answer.
func watching(w watch.Interface, err error) Client {
	return Client{Watch: func(context.Context, metav1.ListOptions) (watch.Interface, error) { return w, err }}
}

// text describes an event.
func text(e *Event[any]) string {
	switch {
	case e.Err != nil:
		return e.Err.Error()
	case e.IsBookmark() && e.InitialEnd:
		return "bookmark at " + e.Version + ", the end of the list"
	case e.IsBookmark():
		return "bookmark at " + e.Version
	}
	return fmt.Sprintf("%v %s@%s", e.Op, names(e.New)[0], e.Version)
}

func unstructuredOf(apiVersion, kind string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": "a"}}}
}

func names(objs ...any) (all []string) {
	for _, obj := range objs {
		all = append(all, obj.(metav1.Object).GetName())
	}
	return all
}

func TestListWatcherReadsLists(t *testing.T) {
	for want, list := range map[string]runtime.Object{
		`[a b] at "7", then "more" <nil>`: &corev1.ConfigMapList{
			ListMeta: metav1.ListMeta{ResourceVersion: "7", Continue: "more"},
			Items:    []corev1.ConfigMap{*configMap("a", "1"), *configMap("b", "3")},
		},
		`[a] at "", then "" <nil>`: &unstructured.UnstructuredList{Items: []unstructured.Unstructured{*unstructuredOf("v1", "Thing")}},
		`[] at "", then "" ` + ErrTable.Error(): &unstructured.UnstructuredList{
			Object: map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": "Table"},
		},
		`[] at "", then "" read the answer to a list: object does not implement the List interfaces`: configMap("a", "1"),
	} {
		page, err := Of(listing(list, nil), nil).List(t.Context(), metav1.ListOptions{})
		if got := fmt.Sprintf("%s at %q, then %q %v", names(page.Items...), page.Version, page.Continue, err); got != want || page.Lent || page.Broken != nil {
			t.Errorf("%T reads as\n%s, want\n%s", list, got, want)
		}
	}
}

func TestListWatcherReadsEvents(t *testing.T) {
	bookmark := configMap("", "9")
	initialEnd := bookmark.DeepCopy()
	initialEnd.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	noEnd := bookmark.DeepCopy()
	noEnd.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "false"}
	for _, tt := range []struct {
		example any
		event   watch.Event
		want    string
	}{
		{nil, watch.Event{Type: watch.Added, Object: configMap("a", "1")}, "Added a@1"},
		{&corev1.ConfigMap{}, watch.Event{Type: watch.Deleted, Object: configMap("a", "1")}, "Deleted a@1"},
		{nil, watch.Event{Type: watch.Modified, Object: configMap("a", "1")}, "Updated a@1"},
		{nil, watch.Event{Type: watch.Bookmark, Object: bookmark}, "bookmark at 9"},
		{nil, watch.Event{Type: watch.Bookmark, Object: initialEnd}, "bookmark at 9, the end of the list"},
		{nil, watch.Event{Type: watch.Bookmark, Object: noEnd}, "bookmark at 9"},
		{&corev1.Secret{}, watch.Event{Type: watch.Added, Object: configMap("a", "1")},
			"object is a *v1.ConfigMap, not a *v1.Secret"},
		{unstructuredOf("v1", "Thing"), watch.Event{Type: watch.Added, Object: unstructuredOf("v1", "Thing")}, "Added a@"},
		{&unstructured.Unstructured{}, watch.Event{Type: watch.Added, Object: unstructuredOf("v1", "Thing")}, "Added a@"},
		{unstructuredOf("v1", "Thing"), watch.Event{Type: watch.Added, Object: unstructuredOf("v2", "Thing")},
			"object is a /v2, Kind=Thing, not a /v1, Kind=Thing"},
		{nil, watch.Event{Type: watch.Added, Object: unstructuredOf("meta.k8s.io/v1beta1", "Table")},
			ErrTable.Error()},
		{nil, watch.Event{Type: "GUESSED", Object: configMap("a", "1")}, `the event has the unknown type "GUESSED"`},
		{nil, watch.Event{Type: watch.Added, Object: &metav1.Status{}},
			"read the metadata of a *v1.Status: object does not implement the Object interfaces"},
	} {
		w := watch.NewFakeWithChanSize(1, false)
		w.Action(tt.event.Type, tt.event.Object)
		lw := Of(watching(w, nil), tt.example)
		stream, err := lw.Watch(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		event, err := stream.Next(t.Context())
		if got := text(&event); got != tt.want || err != nil {
			t.Errorf("event of %T reads as %s, %v; want %s", tt.event.Object, got, err, tt.want)
		}
	}
}

func TestStreamEnds(t *testing.T) {
	w := watch.NewFakeWithChanSize(1, false)
	lw := Of(watching(w, nil), nil)
	stream, err := lw.Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := stream.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("with its context ended Next returned %v", err)
	}
	expired := apierrors.NewResourceExpired("too old").Status()
	w.Error(&expired)
	if _, err := stream.Next(t.Context()); !apierrors.IsResourceExpired(err) {
		t.Errorf("the server's error arrived as %v", err)
	}
	stream.Close()
	stream.Close()
	if !w.IsStopped() {
		t.Error("the watch was not stopped")
	}
	if _, err := stream.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("after the end Next returned %v", err)
	}
}

func TestListWatcherPassesErrorsOn(t *testing.T) {
	if _, err := Of(listing(nil, io.ErrUnexpectedEOF), nil).List(t.Context(), metav1.ListOptions{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("List returned %v", err)
	}
	if _, err := Of(watching(nil, io.ErrUnexpectedEOF), nil).Watch(t.Context(), metav1.ListOptions{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("Watch returned %v", err)
	}
	if _, err := Of(watching(nil, nil), nil).Watch(t.Context(), metav1.ListOptions{}); err == nil {
		t.Error("a watch that is nil does not cause an error")
	}
}

package toolscache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/delta-runtime/delta-runtime/internal/listwatch"
)

func unstructuredOf(apiVersion, kind string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": "a"}}}
}

// names converts what has a name to it.
func names(obj runtime.Object) (string, error) {
	name := obj.(metav1.Object).GetName()
	if name == "poison" {
		return "", errors.New("cannot be converted")
	}
	return name, nil
}

func TestListWatcherReadsLists(t *testing.T) {
	for want, list := range map[string]runtime.Object{
		`{[a b] false 7 more [cannot be converted]} <nil>`: &corev1.ConfigMapList{
			ListMeta: metav1.ListMeta{ResourceVersion: "7", Continue: "more"},
			Items:    []corev1.ConfigMap{*configMap("a", "1"), *configMap("poison", "2"), *configMap("b", "3")},
		},
		`{[a] false   []} <nil>`: &unstructured.UnstructuredList{Items: []unstructured.Unstructured{*unstructuredOf("v1", "Thing")}},
		`{[] false   []} ` + listwatch.ErrTable.Error(): &unstructured.UnstructuredList{
			Object: map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": "Table"},
		},
		`{[] false   []} read the answer to a list: object does not implement the List interfaces`: configMap("a", "1"),
	} {
		lw := listwatch.Of(clientOf(&scripted{list: func(int) (runtime.Object, error) { return list, nil }}), listwatch.Options[string]{Convert: names})
		page, err := lw.List(t.Context(), metav1.ListOptions{})
		if got := fmt.Sprint(page, " ", err); got != want {
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
		{nil, watch.Event{Type: watch.Added, Object: configMap("a", "1")}, "{ADDED a 1 false <nil>}"},
		{&corev1.ConfigMap{}, watch.Event{Type: watch.Deleted, Object: configMap("a", "1")}, "{DELETED a 1 false <nil>}"},
		{nil, watch.Event{Type: watch.Modified, Object: configMap("poison", "1")}, "{MODIFIED  1 false cannot be converted}"},
		{nil, watch.Event{Type: watch.Bookmark, Object: bookmark}, "{BOOKMARK  9 false <nil>}"},
		{nil, watch.Event{Type: watch.Bookmark, Object: initialEnd}, "{BOOKMARK  9 true <nil>}"},
		{nil, watch.Event{Type: watch.Bookmark, Object: noEnd}, "{BOOKMARK  9 false <nil>}"},
		{&corev1.Secret{}, watch.Event{Type: watch.Added, Object: configMap("a", "1")},
			"{ADDED   false object is a *v1.ConfigMap, not a *v1.Secret}"},
		{unstructuredOf("v1", "Thing"), watch.Event{Type: watch.Added, Object: unstructuredOf("v1", "Thing")}, "{ADDED a  false <nil>}"},
		{&unstructured.Unstructured{}, watch.Event{Type: watch.Added, Object: unstructuredOf("v1", "Thing")}, "{ADDED a  false <nil>}"},
		{unstructuredOf("v1", "Thing"), watch.Event{Type: watch.Added, Object: unstructuredOf("v2", "Thing")},
			"{ADDED   false object is a /v2, Kind=Thing, not a /v1, Kind=Thing}"},
		{nil, watch.Event{Type: watch.Added, Object: unstructuredOf("meta.k8s.io/v1beta1", "Table")},
			"{ADDED   false " + listwatch.ErrTable.Error() + "}"},
		{nil, watch.Event{Type: watch.Added, Object: &metav1.Status{}},
			"{ADDED   false read the metadata of a *v1.Status: object does not implement the Object interfaces}"},
	} {
		w := watch.NewFakeWithChanSize(1, false)
		w.Action(tt.event.Type, tt.event.Object)
		lw := listwatch.Of(clientOf(&scripted{watch: func() (watch.Interface, error) { return w, nil }}),
			listwatch.Options[string]{Convert: names, Example: tt.example})
		stream, err := lw.Watch(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		event, err := stream.Next(t.Context())
		if got := fmt.Sprint(event); got != tt.want || err != nil {
			t.Errorf("event of %T reads as %s, %v; want %s", tt.event.Object, got, err, tt.want)
		}
	}
}

func TestStreamEnds(t *testing.T) {
	w := watch.NewFakeWithChanSize(1, false)
	lw := listWatcherOf(&scripted{watch: func() (watch.Interface, error) { return w, nil }}, nil)
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
		t.Errorf("the server's error came as %v", err)
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
	lw := listWatcherOf(&scripted{
		list:  func(int) (runtime.Object, error) { return nil, io.ErrUnexpectedEOF },
		watch: func() (watch.Interface, error) { return nil, io.ErrUnexpectedEOF },
	}, nil)
	if _, err := lw.List(t.Context(), metav1.ListOptions{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("List returned %v", err)
	}
	if _, err := lw.Watch(t.Context(), metav1.ListOptions{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("Watch returned %v", err)
	}
	nothing := listWatcherOf(&scripted{watch: func() (watch.Interface, error) { return nil, nil }}, nil)
	if _, err := nothing.Watch(t.Context(), metav1.ListOptions{}); err == nil {
		t.Error("a watch that is nil is no error")
	}
}

// TestListsAreLentToInformersAlone sees who is given parts of a list, and that what
// is detached is the object and not its place.
func TestListsAreLentToInformersAlone(t *testing.T) {
	list := &corev1.PodList{Items: []corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: "a", ResourceVersion: "1"}}}}
	source := &scripted{list: func(int) (runtime.Object, error) { return list, nil }}
	page, err := listWatcherOf(source, nil).List(t.Context(), metav1.ListOptions{})
	if err != nil || page.Lent || page.Items[0] == any(&list.Items[0]) {
		t.Errorf("anybody is lent the list's objects: %v, %v", page.Lent, err)
	}
	page, err = lendingListWatcher(source, nil).List(t.Context(), metav1.ListOptions{})
	if err != nil || !page.Lent || page.Items[0] != any(&list.Items[0]) {
		t.Fatalf("an informer is not lent the list's objects: %v, %v", page.Lent, err)
	}
	own := objectTraits.Detach(page.Items[0])
	if own == page.Items[0] || !reflect.DeepEqual(own, page.Items[0]) {
		t.Errorf("%v was detached as %v", page.Items[0], own)
	}
	if objectTraits.Detach(nil) != nil {
		t.Error("nothing was detached as something")
	}
}

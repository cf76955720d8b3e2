package listwatch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
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

// The error of an object that can't be understood has its key, whatever is done to the error.
func TestWhatCanNotBeUnderstoodHasAKey(t *testing.T) {
	want := delta.Key{Namespace: "ns", Name: "poison"}
	check := func(what string, err error) {
		t.Helper()
		if key, ok := KeyOf(err); !ok || key != want {
			t.Errorf("the error of %s, %v, has the key %v (%t)", what, err, key, ok)
		}
	}
	poison := configMap("poison", "2")
	poison.Namespace = "ns"
	check("an event", Expecting(&corev1.Secret{}).Event(watch.Event{Type: watch.Deleted, Object: poison}).Err)
	if event := Expecting(nil).Event(watch.Event{Type: watch.Added, Object: &metav1.Status{}}); event.Err == nil {
		t.Error("an event without metadata has no error")
	} else if key, ok := KeyOf(event.Err); ok {
		t.Errorf("an object without metadata has the key %v", key)
	}

	for _, err := range []error{errors.New("it can't be read"), errors.New("kind is missing in '{secret'")} {
		check("a reader", WithoutQuotes(fmt.Errorf("wrapped: %w", WithKey(err, want))))
	}
	if _, ok := KeyOf(WithKey(errors.New("no name"), delta.Key{Namespace: "ns"})); ok {
		t.Error("a key without a name counts")
	}
}

// events decodes one event after the other, as the watches of client-go do.
type events struct {
	decoder runtime.Decoder
	data    [][]byte
}

// Decode fails at an event that can't be read. As client-go's it wraps nothing.
func (e *events) Decode() (watch.EventType, runtime.Object, error) {
	obj, err := runtime.Decode(e.decoder, e.data[0])
	if err != nil {
		return "", nil, fmt.Errorf("unable to decode watch event: %v", err)
	}
	e.data = e.data[1:]
	return watch.Added, obj, nil
}

// Close does nothing.
func (*events) Close() {}

// TestErrorsQuoteNothing has decoders miss the kind or the version of a Secret.
func TestErrorsQuoteNothing(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	for name, decoder := range map[string]runtime.Decoder{
		"typed": serializer.NewCodecFactory(scheme).UniversalDeserializer(), "as maps": unstructured.UnstructuredJSONScheme,
	} {
		for missing, data := range map[string]string{
			"'Kind'":       `{"apiVersion":"v1","metadata":{"name":"a"},"data":{"password":"canary"}}`,
			"'apiVersion'": `{"kind":"Secret","metadata":{"name":"a"},"data":{"password":"canary"}}`,
		} {
			if name == "as maps" && missing != "'Kind'" {
				continue // a map needs no version
			}
			checkQuotesNothing(t, name+" without "+missing, missing, asListed(t, decoder, data))
			checkQuotesNothing(t, name+" without "+missing, missing, asWatched(t, decoder, data))
		}
	}
}

func asListed(t *testing.T, decoder runtime.Decoder, data string) error {
	t.Helper()
	_, failed := runtime.Decode(decoder, []byte(data))
	_, err := Of(listing(nil, fmt.Errorf("do it: %w", failed)), nil).List(t.Context(), metav1.ListOptions{})
	return err
}

func asWatched(t *testing.T, decoder runtime.Decoder, data string) error {
	t.Helper()
	reporter := apierrors.NewClientErrorReporter(http.StatusInternalServerError, "GET", "ClientWatchDecoding")
	w := watch.NewStreamWatcher(&events{decoder, [][]byte{[]byte(data)}}, reporter)
	stream, err := Of(watching(w, nil), nil).Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	_, err = stream.Next(t.Context())
	if !apierrors.IsInternalError(err) || !apierrors.HasStatusCause(err, "ClientWatchDecoding") {
		t.Errorf("the error is not the client's any more: %v", err)
	}
	return err
}

func checkQuotesNothing(t *testing.T, about, missing string, err error) {
	t.Helper()
	var seen bytes.Buffer
	for ; err != nil; err = errors.Unwrap(err) {
		asJSON, _ := json.Marshal(err) //nolint:errchkjson // an error of any kind
		fmt.Fprintf(&seen, "%v %+v %#v %s\n", err, err, err, asJSON)
	}
	if strings.Contains(seen.String(), "canary") {
		t.Errorf("%s: it quotes the Secret: %s", about, &seen)
	}
	if !strings.Contains(seen.String(), missing+" is missing") {
		t.Errorf("%s: it does not say what is wrong: %s", about, &seen)
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

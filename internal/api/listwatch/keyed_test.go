package listwatch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

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

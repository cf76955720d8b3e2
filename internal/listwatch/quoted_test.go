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
)

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
	_, err := Of(listing(nil, fmt.Errorf("do it: %w", failed)), asItIs).List(t.Context(), metav1.ListOptions{})
	return err
}

func asWatched(t *testing.T, decoder runtime.Decoder, data string) error {
	t.Helper()
	reporter := apierrors.NewClientErrorReporter(http.StatusInternalServerError, "GET", "ClientWatchDecoding")
	w := watch.NewStreamWatcher(&events{decoder, [][]byte{[]byte(data)}}, reporter)
	stream, err := Of(watching(w, nil), asItIs).Watch(t.Context(), metav1.ListOptions{})
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

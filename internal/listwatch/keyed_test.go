package listwatch

import (
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	list := &corev1.ConfigMapList{Items: []corev1.ConfigMap{*poison, *configMap("a", "1")}}
	page, err := Of(listing(list, nil), Options[string]{Convert: names}).List(t.Context(), metav1.ListOptions{})
	if err != nil || len(page.Broken) != 1 || len(page.Items) != 1 {
		t.Fatalf("a list has %v, %v", page, err)
	}
	check("an item", page.Broken[0])

	w := watch.NewFakeWithChanSize(2, false)
	w.Delete(poison)
	w.Add(&metav1.Status{})
	stream, err := Of(watching(w, nil), Options[string]{Convert: names}).Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	event, _ := stream.Next(t.Context())
	check("an event", event.Err)
	if event.Op != delta.Deleted {
		t.Errorf("the event says %s", event.Op)
	}
	if event, _ = stream.Next(t.Context()); event.Err == nil {
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

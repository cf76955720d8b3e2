package cache

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/engine/store"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// viewOf returns a view that is released when the test ends.
func viewOf[T client.Object](t *testing.T, r *reader) *View[T] {
	t.Helper()
	v, err := newView[T](r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.Release)
	return v
}

func named(namespace, name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

func TestViewShowsOneMoment(t *testing.T) {
	r := newTestReader(&corev1.Pod{}, byField{"app": func(obj client.Object) []string { return []string{obj.GetLabels()["app"]} }})
	one, two, three := named("b", "1"), named("a", "2"), named("a", "1")
	one.Labels = map[string]string{"app": "x"}
	two.Labels = map[string]string{"app": "x"}
	put(r, one, two, three)
	v := viewOf[*corev1.Pod](t, r)
	remove(r, keyOf(one), keyOf(two), keyOf(three))
	put(r, named("c", "4"))

	if v.Len() != 3 || v.Version() != "1" {
		t.Errorf("%d objects at %q, want 3 at 1", v.Len(), v.Version())
	}
	if got, ok := v.Get(client.ObjectKey{Namespace: "b", Name: "1"}); !ok || got != one {
		t.Errorf("got %p, %t; want the very object that was stored", got, ok)
	}
	if got, ok := v.Get(client.ObjectKey{Namespace: "c", Name: "4"}); ok || got != nil {
		t.Errorf("got %v, which came later", got)
	}
	for _, tt := range []struct {
		name string
		got  []*corev1.Pod
		want string
	}{
		{"all", v.List("", nil), "a/1 a/2 b/1"},
		{"a namespace", v.List("a", nil), "a/1 a/2"},
		{"by label", v.List("", parse(t, "app=x")), "a/2 b/1"},
		{"by label in a namespace", v.List("a", parse(t, "app=x")), "a/2"},
		{"none", v.List("none", nil), ""},
		{"by field", byFieldOf(t, v, "app", "x"), "a/2 b/1"},
		{"by field, none", byFieldOf(t, v, "app", "z"), ""},
	} {
		var keys []string
		for _, pod := range tt.got {
			keys = append(keys, keyOf(pod).String())
		}
		slices.Sort(keys)
		if got := strings.Join(keys, " "); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
	var all []string
	for key, pod := range v.All() {
		if keyOf(pod) != delta.Key(key) {
			t.Errorf("%s has the key %s", keyOf(pod), key)
		}
		all = append(all, key.String())
	}
	if got := strings.Join(all, " "); got != "a/1 a/2 b/1" {
		t.Errorf("all, in order, are %s", got)
	}
	for range v.All() {
		break
	}
	if _, err := v.ByField("missing", "x"); !errors.Is(err, store.ErrNoIndex) || !strings.Contains(err.Error(), "field:missing") {
		t.Errorf("by a field without index: %v", err)
	}
}

func byFieldOf(t *testing.T, v *View[*corev1.Pod], field, value string) []*corev1.Pod {
	t.Helper()
	pods, err := v.ByField(field, value)
	if err != nil {
		t.Fatal(err)
	}
	return pods
}

func TestViewAsAnInterface(t *testing.T) {
	r := newTestReader(&corev1.Namespace{}, nil)
	put(r, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "a"}})
	v := viewOf[client.Object](t, r)
	if got, ok := v.Get(client.ObjectKey{Namespace: "ignored", Name: "a"}); !ok || got.GetName() != "a" {
		t.Errorf("got %v, %t", got, ok)
	}
}

func TestViewErrors(t *testing.T) {
	r := newTestReader(&corev1.Pod{}, nil)
	_, err := newView[*corev1.Service](r)
	if want := "view Pod as *v1.Service: the cache holds it as *v1.Pod"; fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
	refused := errors.New("not synced")
	r.syncedEverywhere = func() error { return refused }
	if _, err := newView[*corev1.Pod](r); !errors.Is(err, refused) || err.Error() != "view Pod: not synced" {
		t.Errorf("got %v, want it refused", err)
	}
}

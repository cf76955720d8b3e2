package cache

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// When an informer has been removed and is back, a token of before has expired, as
// who reads page after page is told to begin again. For another kind, or for the same
// kind in another form, it is still a wrong one.
func TestTokenOfAnInformerThatWasRemoved(t *testing.T) {
	before, removed := newTestReader(&corev1.Pod{}, nil), make(chan struct{})
	before.removed = removed
	put(before, named("a", "x"), named("a", "y"), named("b", "z"))
	var list corev1.PodList
	if err := before.List(t.Context(), &list, client.Limit(1)); err != nil {
		t.Fatal(err)
	}
	readAgain := func(holds client.Object, opts ...client.ListOption) error {
		again := newTestReader(holds, nil)
		again.pages = before.pages
		return again.List(t.Context(), &corev1.PodList{}, append(opts, client.Limit(1), client.Continue(list.Continue))...)
	}
	if err := readAgain(&corev1.Pod{}); !apierrors.IsBadRequest(err) {
		t.Errorf("while it is there, another reader says %v", err)
	}
	close(removed)
	if err := readAgain(&corev1.Pod{}); !apierrors.IsResourceExpired(err) {
		t.Errorf("the same list is continued with %v, want that the token has expired", err)
	}
	for what, err := range map[string]error{
		"another kind":  readAgain(&corev1.Namespace{}),
		"another form":  readAgain(&metav1.PartialObjectMetadata{}),
		"other options": readAgain(&corev1.Pod{}, client.InNamespace("a")),
	} {
		if !apierrors.IsBadRequest(err) {
			t.Errorf("%s: %v, want a bad request", what, err)
		}
	}
}

func TestTokenAfterRemoveInformer(t *testing.T) {
	f := newFakeAPI(t)
	f.put(configMap("red", "a"))
	f.put(configMap("red", "b"))
	c := newCache(t, f, crcache.Options{}, Options{})
	stop := start(t, c)
	defer stop()
	var list corev1.ConfigMapList
	if err := c.List(t.Context(), &list, client.Limit(1)); err != nil {
		t.Fatal(err)
	}
	if err := c.RemoveInformer(t.Context(), &corev1.ConfigMap{}); err != nil {
		t.Fatal(err)
	}
	if err := c.List(t.Context(), &list, client.Limit(1), client.Continue(list.Continue)); !apierrors.IsResourceExpired(err) {
		t.Errorf("after RemoveInformer a list is continued with %v", err)
	}
}

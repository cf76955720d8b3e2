package cache

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	patiently "github.com/delta-runtime/delta-runtime/internal/testing/await"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// configFor returns a ConfigMap of a controller. Its data are large enough for Go not to
// put them beside each other.
func configFor(owner types.UID, name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "a", Name: name, Labels: map[string]string{"owner": string(owner)},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Owner", Name: "o", UID: owner, Controller: new(true)}},
		},
		Data: map[string]string{"text": strings.Repeat("x", 100) + string(owner)},
	}
}

// kept reads what is in the cache itself.
func kept[T client.Object](t *testing.T, c *Cache, name string, out T) T {
	t.Helper()
	must(t, c.Get(t.Context(), client.ObjectKey{Namespace: "a", Name: name}, out, client.UnsafeDisableDeepCopy))
	return out
}

func sameMap(a, b any) bool { return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer() }

func TestDuplicatesAreSharedOrKept(t *testing.T) {
	keep := func(obj any) (any, error) { return obj, nil }
	another := func(obj any) (any, error) { return obj.(*corev1.ConfigMap).DeepCopy(), nil }
	for _, tt := range []struct {
		name   string
		theirs crcache.Options
		ours   KindOptions
		want   bool
	}{
		{"by default", crcache.Options{}, KindOptions{}, true},
		{"after a transform", crcache.Options{DefaultTransform: keep}, KindOptions{}, false},
		{"after a transform that makes another object", crcache.Options{DefaultTransform: another}, KindOptions{}, false},
		{"not if told so", crcache.Options{}, KindOptions{ShareDuplicates: new(false)}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeAPI(t, configFor("o", "first"), configFor("p", "other"), configFor("o", "second"))
			c := newCache(t, f, tt.theirs, Options{Default: tt.ours})
			start(t, c)
			first, second := kept(t, c, "first", &corev1.ConfigMap{}), kept(t, c, "second", &corev1.ConfigMap{})
			if got := sameMap(first.Data, second.Data); got != tt.want {
				t.Errorf("two objects of a controller have one map: %t, want %t", got, tt.want)
			}
			if other := kept(t, c, "other", &corev1.ConfigMap{}); sameMap(first.Data, other.Data) || !strings.HasSuffix(other.Data["text"], "p") {
				t.Error("objects that differ have one map")
			}

			labelled := configFor("o", "second")
			labelled.Labels["more"] = "yes"
			version := f.put(labelled)
			var next *corev1.ConfigMap
			patiently.Until(t, "the change to be in the cache", func() bool {
				next = kept(t, c, "second", &corev1.ConfigMap{})
				return next.ResourceVersion == version
			})
			if got := sameMap(next.Data, second.Data); got != tt.want {
				t.Errorf("two versions of an object have one map: %t, want %t", got, tt.want)
			}
			if len(next.Labels) != 2 || len(second.Labels) != 1 {
				t.Errorf("the labels became %v, and before they were %v", next.Labels, second.Labels)
			}
		})
	}
}

func TestDuplicatesOfOtherForms(t *testing.T) {
	f := newFakeAPI(t, configFor("o", "first"), configFor("o", "second"))
	c := newCache(t, f, crcache.Options{}, Options{})
	start(t, c)
	maps := func(name string) (any, any) {
		return kept(t, c, name, mapOf(configMapGVK)).Object["data"], kept(t, c, name, metadataConfigMap()).GetLabels()
	}
	data, labels := maps("first")
	moreData, moreLabels := maps("second")
	if !sameMap(data, moreData) {
		t.Error("two unstructured objects don't share their data")
	}
	if !sameMap(labels, moreLabels) {
		t.Error("the metadata of two objects don't share their labels")
	}
}

func TestOwnersAreForgotten(t *testing.T) {
	r := &relatives{known: func(delta.Key) (any, bool) { return nil, false }}
	for i := range 3 * maxOwners {
		obj := configFor(types.UID(fmt.Sprint(i)), fmt.Sprint(i))
		r.note(obj)
	}
	if n := len(r.byOwner); n != maxOwners {
		t.Errorf("objects of %d owners are kept alive, want %d", n, maxOwners)
	}
	if r.newest.(*corev1.ConfigMap).Name != fmt.Sprint(3*maxOwners-1) {
		t.Error("the newest is not the newest")
	}
}

package cache

import (
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// An object that is changed in place changes others that share its memory. OnMutation names
// all of them, with the field, so that one sees how far it went.
func TestOnMutationNamesAllWhoseMemoryWasChanged(t *testing.T) {
	f := newFakeAPI(t)
	for _, name := range []string{"first", "second"} {
		f.put(configFor("o", name))
	}
	f.put(configFor("p", "other"))
	var mu sync.Mutex // guards named
	var named []string
	c := newCache(t, f, crcache.Options{}, Options{OnMutation: func(m informer.Mutation) {
		mu.Lock()
		defer mu.Unlock()
		named = append(named, m.Key.String()+" "+m.Paths[0])
	}})
	stop := start(t, c)
	first := kept(t, c, "first", &corev1.ConfigMap{})
	// The last look comes after the end, so the race detector sees no race between it and this.
	first.Data["text"] = "changed in place"
	stop()
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(named)
	if want := []string{`a/first Data["text"]`, `a/second Data["text"]`}; !slices.Equal(named, want) {
		t.Errorf("named are %q, want %q", named, want)
	}
}

// Without OnMutation a sample is looked at, and the status says who was changed, and where.
func TestTheStatusNamesAnObjectThatWasChangedInPlace(t *testing.T) {
	f := newFakeAPI(t, configFor("o", "first"))
	c := newCache(t, f, crcache.Options{}, Options{})
	stop := start(t, c)
	kept(t, c, "first", &corev1.ConfigMap{}).Data["text"] = "changed in place"
	stop() // and looks for the last time
	status := c.Status()[0]
	want := `Somebody has changed an object of the cache in place: a/first, at Data["text"].`
	if status.Informer.Mutations != 1 || !strings.Contains(status.Why, want) {
		t.Errorf("%d mutations, and the status says %q, want %q", status.Informer.Mutations, status.Why, want)
	}
}

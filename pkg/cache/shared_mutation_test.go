package cache

import (
	"slices"
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

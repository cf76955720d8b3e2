package cache

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Programs know these errors by their words, because controller-runtime has no types for them.
// They take a second index of a field for a success, list all objects where there is no index,
// and ask the server where the cache does not cover the namespace.
func TestErrorsHaveTheWordsThatProgramsLookFor(t *testing.T) {
	ours, theirs := wordsOf(t, func(f *fakeAPI, opts crcache.Options) (crcache.Cache, error) {
		return New(f.config(), opts)
	}), wordsOf(t, func(f *fakeAPI, opts crcache.Options) (crcache.Cache, error) {
		return crcache.New(f.config(), opts)
	})
	for call, want := range theirs {
		// Ours goes on with the reason where a namespace is not covered, because no program looks at how that error ends.
		got := ours[call]
		if strings.HasSuffix(want, "unknown namespace for the cache") {
			got, _, _ = strings.Cut(got, ": v1 ConfigMap")
		}
		if got != want {
			t.Errorf("%s: we say %q, controller-runtime %q", call, ours[call], want)
		}
	}
	for call, want := range map[string]string{
		"index again":      "indexer conflict: map[field:f:{}]",
		"list by no index": "Index with name field:none does not exist",
		"get elsewhere":    "unknown namespace for the cache",
		"list elsewhere":   "unknown namespace for the cache",
	} {
		if !strings.Contains(theirs[call], want) {
			t.Errorf("%s: controller-runtime says %q, without %q", call, theirs[call], want)
		}
	}
}

// wordsOf returns the texts of the errors of a cache that is limited to a namespace, by call.
func wordsOf(t *testing.T, create func(*fakeAPI, crcache.Options) (crcache.Cache, error)) map[string]string {
	t.Helper()
	opts := limitedTo("red")
	mapper := fakeMapper()
	mapper.Add(corev1.SchemeGroupVersion.WithKind("ConfigMapList"), meta.RESTScopeNamespace) // theirs looks for it
	opts.Mapper = mapper
	c, err := create(newFakeAPI(t), opts)
	must(t, err)
	start(t, c)
	index := func() error {
		return c.IndexField(t.Context(), configMaps, "f", func(client.Object) []string { return nil })
	}
	list := func(opts ...client.ListOption) error {
		return c.List(t.Context(), &corev1.ConfigMapList{}, opts...)
	}
	must(t, index())
	said := map[string]string{}
	for call, err := range map[string]error{
		"index again":              index(),
		"list by no index":         list(client.MatchingFields{"none": "x"}),
		"list by no index in red":  list(client.MatchingFields{"none": "x"}, client.InNamespace("red")),
		"get elsewhere":            get(t, c, "blue", "a"),
		"get without a namespace":  get(t, c, "", "a"),
		"list elsewhere":           list(client.InNamespace("blue")),
		"list elsewhere by labels": list(client.InNamespace("blue"), client.MatchingLabels{"a": "b"}),
	} {
		if err == nil {
			t.Fatalf("%s: no error", call)
		}
		said[call] = err.Error()
	}
	return said
}

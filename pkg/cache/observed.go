package cache

import (
	"cmp"
	"slices"

	"github.com/delta-runtime/delta-runtime/internal/metrics"
	"github.com/delta-runtime/delta-runtime/internal/observe"
)

// observed is a cache for those who look at it.
type observed struct{ *Cache }

var _ observe.Cache = observed{}

// observe shows the cache to metrics and to inspectors until the caller calls hide.
func (c *Cache) observe() (hide func()) {
	if err := metrics.Register(); err != nil {
		c.ours.Log.Error(err, "The cache has no metrics")
	}
	return observe.AddCache(observed{c})
}

// Kinds returns the kinds that have an informer, in order of their names.
func (c observed) Kinds() []observe.Kind {
	var all []observe.Kind
	for _, k := range *c.kinds.Load() {
		if k.isMade() {
			all = append(all, observe.Kind{GVK: k.id.gvk, Form: k.id.form.word(), Name: k.id.String(), Example: k.example, Informer: k.core})
		}
	}
	slices.SortFunc(all, func(a, b observe.Kind) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// word is the form in one word; Go types have none.
func (f form) word() string {
	switch f {
	case unstructuredForm:
		return "unstructured"
	case metadataForm:
		return "metadata"
	default:
		return ""
	}
}

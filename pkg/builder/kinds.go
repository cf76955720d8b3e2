package builder

import (
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// watchedKinds has the kinds that a controller is known to watch.
type watchedKinds struct {
	kinds map[schema.GroupVersionKind]bool
	more  atomic.Bool // there may be others
}

// newWatchedKinds returns the kinds of For, Owns and Watches. Nobody knows which kinds a raw
// source shows, or the kind of an object that the scheme does not have yet.
func newWatchedKinds[R comparable](b *TypedBuilder[R]) *watchedKinds {
	w := &watchedKinds{kinds: map[schema.GroupVersionKind]bool{}}
	w.more.Store(len(b.raw) > 0)
	for _, object := range b.watches() {
		kind, err := apiutil.GVKForObject(object, b.mgr.GetScheme())
		if err != nil {
			w.more.Store(true)
			continue
		}
		w.kinds[kind] = true
	}
	return w
}

// watches returns an example of each kind of For, Owns and Watches.
func (b *TypedBuilder[R]) watches() []client.Object {
	var all []client.Object
	if b.forInput.object != nil {
		all = append(all, b.forInput.object)
	}
	for _, in := range b.owned {
		all = append(all, in.object)
	}
	for _, in := range b.watched {
		all = append(all, in.object)
	}
	return all
}

// mayShow reports whether a watch shows the kind, or may.
func (w *watchedKinds) mayShow(kind schema.GroupVersionKind) bool {
	return w.kinds[kind] || w.more.Load()
}

package builder

import (
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// watchedKinds are the kinds that a controller watches, as far as they are known.
type watchedKinds struct {
	kinds map[schema.GroupVersionKind]bool
	more  atomic.Bool // there may be others
}

// newWatchedKinds returns the kinds that the builder was told of. Which kinds a raw source
// shows nobody knows, nor which kind an object is that the scheme does not have yet.
func newWatchedKinds[R comparable](b *TypedBuilder[R]) *watchedKinds {
	w := &watchedKinds{kinds: map[schema.GroupVersionKind]bool{}}
	var objects []client.Object
	if b.forInput.object != nil {
		objects = append(objects, b.forInput.object)
	}
	for _, in := range b.owned {
		objects = append(objects, in.object)
	}
	for _, in := range b.watched {
		objects = append(objects, in.object)
	}
	w.more.Store(len(b.raw) > 0)
	for _, object := range objects {
		kind, err := apiutil.GVKForObject(object, b.mgr.GetScheme())
		if err != nil {
			w.more.Store(true)
		}
		w.kinds[kind] = true
	}
	return w
}

// mayShow reports whether a watch shows the kind, or may.
func (w *watchedKinds) mayShow(kind schema.GroupVersionKind) bool {
	return w.kinds[kind] || w.more.Load()
}

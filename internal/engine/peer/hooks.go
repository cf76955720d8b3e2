package peer

import (
	"sync/atomic"

	"k8s.io/client-go/tools/cache"
)

// Hooks are what client-go lets callers set before an informer runs. Who makes the informer asks
// them each time, with what is in effect if nobody has set anything. Nil counts as set, and sets none.
type Hooks struct {
	transform atomic.Pointer[cache.TransformFunc]
	onError   atomic.Pointer[cache.WatchErrorHandlerWithContext]
}

// SetTransform sets what each object passes through before it is kept.
func (h *Hooks) SetTransform(transform cache.TransformFunc) { h.transform.Store(&transform) }

// Transform returns what was set.
func (h *Hooks) Transform(otherwise cache.TransformFunc) cache.TransformFunc {
	if set := h.transform.Load(); set != nil {
		return *set
	}
	return otherwise
}

// SetOnError sets who is told of failed lists and watches.
func (h *Hooks) SetOnError(handler cache.WatchErrorHandlerWithContext) { h.onError.Store(&handler) }

// OnError returns what was set.
func (h *Hooks) OnError(otherwise cache.WatchErrorHandlerWithContext) cache.WatchErrorHandlerWithContext {
	if set := h.onError.Load(); set != nil {
		return *set
	}
	return otherwise
}

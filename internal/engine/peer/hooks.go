package peer

import (
	"sync/atomic"

	"k8s.io/client-go/tools/cache"
)

// Hooks are what client-go lets callers set before an informer runs. Who makes the informer asks
// them each time, with what is in effect if nobody has set anything. Nil counts as set, and sets none.
type Hooks struct {
	Transform Hook[cache.TransformFunc]                // what each object passes through before it is kept
	OnError   Hook[cache.WatchErrorHandlerWithContext] // who is told of failed lists and watches
}

// Hook is one of them. Its zero value has nothing set.
type Hook[F any] struct{ set atomic.Pointer[F] }

// Set replaces what was set before.
func (h *Hook[F]) Set(to F) { h.set.Store(&to) }

// Or returns what was set.
func (h *Hook[F]) Or(otherwise F) F {
	if set := h.set.Load(); set != nil {
		return *set
	}
	return otherwise
}

package shown

import (
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// Options say how [As] shows an informer.
type Options struct {
	Kind string
	// ResyncPeriod is for the handlers that ask for none. Zero is never.
	ResyncPeriod time.Duration
	// Policies are those of the informer's scopes.
	Policies []resync.Policy
	// ByPolicy reports whether a policy says when the informer is resynced. Then handlers
	// that ask for a period of their own get it, whatever client-go's rules for the
	// informer's period would make of it. Nil is never.
	ByPolicy func() bool
	// Indexers are those that the informer was made with.
	Indexers cache.Indexers
	// Hooks have what callers set. The informer asks them. They are required.
	Hooks *Hooks
}

// As shows an informer as client-go's. Who calls As has to import pkg/toolscache.
var As func(core *engine.Informer[any], opts Options) cache.SharedIndexInformer

package peer

import (
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/engine"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// Shown says how [Show] shows an informer.
type Shown struct {
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

// Show shows an informer as client-go's. Who calls Show has to import pkg/toolscache, which sets
// it before main begins: the type is that package's, whose users have no informers of package
// engine, so a function that takes one is not among what it exports.
var Show func(core *engine.Informer[any], how Shown) cache.SharedIndexInformer

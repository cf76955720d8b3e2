package builder

import (
	"errors"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	ctrlbuilder "sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	ctrlsource "sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// Builder builds a controller of reconcile.Requests.
type Builder = TypedBuilder[reconcile.Request]

// TypedBuilder builds a controller. It has the methods of controller-runtime's builder. It adds
// [TypedBuilder.WithResync], [TypedBuilder.WithLedger], [TypedBuilder.WithoutLedger] and
// [TypedBuilder.WithPaths]. Build it once.
type TypedBuilder[R comparable] struct {
	mgr     manager.Manager
	name    string
	options controller.TypedOptions[R]

	primary    watch[R]   // its object is nil if For was not called
	forTwice   bool       // For was called twice
	owned      []watch[R] // by Owns
	watched    []watch[R] // by Watches
	raw        []ctrlsource.TypedSource[R]
	predicates []predicate.Predicate // of all but raw

	resync   resync.Policy
	unkept   bool // WithoutLedger was called
	ledgers  delta.LedgerOptions
	asked    []askedPaths
	resynced bool // WithResync was called
	causeLog *int // nil: there is none

	// newController makes the controller. Tests replace it.
	newController func(name string, mgr manager.Manager, options controller.TypedOptions[R]) (controller.TypedController[R], error)
}

// ControllerManagedBy begins a controller that the manager will start.
func ControllerManagedBy(m manager.Manager) *Builder {
	return TypedControllerManagedBy[reconcile.Request](m)
}

// TypedControllerManagedBy begins a controller, with requests of its own, that the
// manager will start.
func TypedControllerManagedBy[R comparable](m manager.Manager) *TypedBuilder[R] {
	return &TypedBuilder[R]{mgr: m, newController: controller.NewTyped[R]}
}

// WebhookManagedBy is controller-runtime's. It is here so that a file which uses it has only one
// import to change.
func WebhookManagedBy[T runtime.Object](m manager.Manager, object T) *ctrlbuilder.WebhookBuilder[T] {
	return ctrlbuilder.WebhookManagedBy(m, object)
}

// For says which kind the controller reconciles. Each event of an object makes a request for
// that object, and is a [delta.Primary] change of it. Call For once.
func (b *TypedBuilder[R]) For(object client.Object, opts ...ForOption) *TypedBuilder[R] {
	if b.forTwice = b.primary.object != nil; b.forTwice {
		return b
	}
	b.primary = watch[R]{object: object, cause: delta.Primary}
	for _, opt := range opts {
		opt.applyToFor(&b.primary.how)
	}
	return b
}

// Owns says which kinds the objects of For own. Each event of an object makes a request for its
// owner, and is a [delta.Owned] change of it. The owner is the one whose reference says
// controller. With [MatchEveryOwner] each owner counts.
func (b *TypedBuilder[R]) Owns(object client.Object, opts ...OwnsOption) *TypedBuilder[R] {
	w := watch[R]{object: object, cause: delta.Owned}
	for _, opt := range opts {
		opt.applyToOwns(&w.how)
	}
	b.owned = append(b.owned, w)
	return b
}

// Watches says which kinds matter otherwise. The handler makes requests of each event, and the
// event is a [delta.Mapped] change of these.
func (b *TypedBuilder[R]) Watches(object client.Object, tell handler.TypedEventHandler[client.Object, R], opts ...WatchesOption) *TypedBuilder[R] {
	w := watch[R]{object: object, tell: tell, cause: delta.Mapped}
	for _, opt := range opts {
		opt.applyToWatches(&w.how)
	}
	b.watched = append(b.watched, w)
	return b
}

// WatchesMetadata is Watches with [OnlyMetadata].
func (b *TypedBuilder[R]) WatchesMetadata(object client.Object, tell handler.TypedEventHandler[client.Object, R], opts ...WatchesOption) *TypedBuilder[R] {
	return b.Watches(object, tell, append(opts, OnlyMetadata)...)
}

// WatchesRawSource adds any source. WithEventFilter does not concern it. The ledger records the
// requests of our own sources with their change, and those of others as [delta.External]. For a
// [delta.Step], and for Of, a source of somebody else's watches no kind.
func (b *TypedBuilder[R]) WatchesRawSource(src ctrlsource.TypedSource[R]) *TypedBuilder[R] {
	b.raw = append(b.raw, src)
	return b
}

// WithEventFilter adds a predicate to all that For, Owns and Watches watch. The controller asks
// it before theirs.
func (b *TypedBuilder[R]) WithEventFilter(p predicate.Predicate) *TypedBuilder[R] {
	b.predicates = append(b.predicates, p)
	return b
}

// WithOptions sets the controller's options, and forgets those set before. The controller has
// our queue unless they set NewQueue.
func (b *TypedBuilder[R]) WithOptions(options controller.TypedOptions[R]) *TypedBuilder[R] {
	b.options = options
	return b
}

// WithLogConstructor sets the option LogConstructor.
func (b *TypedBuilder[R]) WithLogConstructor(logConstructor func(*R) logr.Logger) *TypedBuilder[R] {
	b.options.LogConstructor = logConstructor
	return b
}

// Named sets the controller's name in logs and metrics. Without it the name is the kind of For
// in lower case. No two controllers of a process may share a name.
func (b *TypedBuilder[R]) Named(name string) *TypedBuilder[R] {
	b.name = name
	return b
}

// WithResync says when the controller looks at objects of For that have not changed. The
// cache's policy for the kind decides what this one leaves open. Predicates of updates do not
// hold such a resync back; see [predicate.OnResync]. A policy that somebody sets while the cache
// runs overrides this one; see SetResync of package cache. For other kinds there is
// [WithResyncPolicy]. Mind that a resync of owned objects makes a request for each of them.
//
// [predicate.OnResync]: https://pkg.go.dev/github.com/delta-runtime/delta-runtime/pkg/predicate#OnResync
func (b *TypedBuilder[R]) WithResync(policy resync.Policy) *TypedBuilder[R] {
	b.resync, b.resynced = policy, true
	return b
}

// WithLedger sets the limits of the controller's ledger, and what else the builder would
// choose. The builder chooses the fields that are zero.
func (b *TypedBuilder[R]) WithLedger(opts delta.LedgerOptions) *TypedBuilder[R] {
	b.unkept, b.ledgers = false, opts
	return b
}

// WithoutLedger builds a controller that does not remember why it makes requests. [delta.From]
// knows nothing in it, and its handlers get its own queue.
func (b *TypedBuilder[R]) WithoutLedger() *TypedBuilder[R] {
	b.unkept = true
	return b
}

// WithCauseLog has the controller log a line for each call of its reconciler that was told of
// something: the changes, what the call came to, and how long it took. The level is that of the
// manager's logger, where zero is always logged. The line shows the fields that changed, and
// never the values of a Secret. A call that has nothing to tell but that it was a resync, a relist
// or a timer is logged at one level more.
func (b *TypedBuilder[R]) WithCauseLog(level int) *TypedBuilder[R] {
	b.causeLog = &level
	return b
}

// Complete is [TypedBuilder.Build] for those who do not need the controller.
func (b *TypedBuilder[R]) Complete(r reconcile.TypedReconciler[R]) error {
	_, err := b.Build(r)
	return err
}

// Build makes the controller and adds it to the manager.
func (b *TypedBuilder[R]) Build(r reconcile.TypedReconciler[R]) (controller.TypedController[R], error) {
	switch {
	case r == nil:
		return nil, errors.New("must provide a non-nil Reconciler")
	case b.mgr == nil:
		return nil, errors.New("must provide a non-nil Manager")
	case b.forTwice:
		return nil, errors.New("For(...) should only be called once, could not assign multiple objects for reconciliation")
	}
	if err := b.checkPaths(); err != nil {
		return nil, err
	}
	p, err := newPlan(b)
	if err != nil {
		return nil, err
	}
	return p.build(r)
}

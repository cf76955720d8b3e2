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

// TypedBuilder builds a controller. Its methods are controller-runtime's, but for
// [TypedBuilder.WithResync], [TypedBuilder.WithLedger], [TypedBuilder.WithoutLedger] and
// [TypedBuilder.WithPaths], which it adds. Build it once.
type TypedBuilder[R comparable] struct {
	mgr     manager.Manager
	name    string
	options controller.TypedOptions[R]

	forInput   ForInput
	owned      []OwnsInput
	watched    []WatchesInput[R]
	raw        []ctrlsource.TypedSource[R]
	predicates []predicate.Predicate // of all but raw

	resync   resync.Policy
	keeping  keeping
	ledgers  delta.LedgerOptions
	asked    []askedPaths
	resynced bool // WithResync was called

	// newController is replaced by tests.
	newController func(name string, mgr manager.Manager, options controller.TypedOptions[R]) (controller.TypedController[R], error)
}

// keeping is whether a ledger is kept.
type keeping uint8

const (
	keepLedger keeping = iota
	keepNone
)

// ControllerManagedBy begins a controller that the manager will start.
func ControllerManagedBy(m manager.Manager) *Builder {
	return TypedControllerManagedBy[reconcile.Request](m)
}

// TypedControllerManagedBy begins a controller, with requests of its own, that the
// manager will start.
func TypedControllerManagedBy[R comparable](m manager.Manager) *TypedBuilder[R] {
	return &TypedBuilder[R]{mgr: m, newController: controller.NewTyped[R]}
}

// WebhookManagedBy is controller-runtime's: so that a file which uses it, too, has one
// import to change.
func WebhookManagedBy[T runtime.Object](m manager.Manager, object T) *ctrlbuilder.WebhookBuilder[T] {
	return ctrlbuilder.WebhookManagedBy(m, object)
}

// For says which kind is reconciled: each event of one of its objects is a request for
// that object, and a [delta.Primary] change of it. It can be called once.
func (b *TypedBuilder[R]) For(object client.Object, opts ...ForOption) *TypedBuilder[R] {
	if b.forInput.object != nil {
		b.forInput.err = errors.New("For(...) should only be called once, could not assign multiple objects for reconciliation")
		return b
	}
	b.forInput = ForInput{object: object}
	for _, opt := range opts {
		opt.ApplyToFor(&b.forInput)
	}
	return b
}

// Owns says which kinds the objects of For own: each event of one of theirs is a
// request for its owner, and a [delta.Owned] change of it. The owner is the one whose
// reference says controller; with [MatchEveryOwner], each.
func (b *TypedBuilder[R]) Owns(object client.Object, opts ...OwnsOption) *TypedBuilder[R] {
	input := OwnsInput{object: object}
	for _, opt := range opts {
		opt.ApplyToOwns(&input)
	}
	b.owned = append(b.owned, input)
	return b
}

// Watches says which kinds matter otherwise: the handler makes the requests out of each
// event, which is a [delta.Mapped] change of those that it makes.
func (b *TypedBuilder[R]) Watches(object client.Object, tell handler.TypedEventHandler[client.Object, R], opts ...WatchesOption) *TypedBuilder[R] {
	input := WatchesInput[R]{object: object, handler: tell}
	for _, opt := range opts {
		opt.ApplyToWatches(&input)
	}
	b.watched = append(b.watched, input)
	return b
}

// WatchesMetadata is Watches with [OnlyMetadata].
func (b *TypedBuilder[R]) WatchesMetadata(object client.Object, tell handler.TypedEventHandler[client.Object, R], opts ...WatchesOption) *TypedBuilder[R] {
	return b.Watches(object, tell, append(opts, OnlyMetadata)...)
}

// WatchesRawSource adds any source. WithEventFilter does not concern it. The ledger records
// its requests as [delta.External], but those of our own sources with their change.
func (b *TypedBuilder[R]) WatchesRawSource(src ctrlsource.TypedSource[R]) *TypedBuilder[R] {
	b.raw = append(b.raw, src)
	return b
}

// WithEventFilter adds a predicate to all that For, Owns and Watches watch. It is asked
// before theirs.
func (b *TypedBuilder[R]) WithEventFilter(p predicate.Predicate) *TypedBuilder[R] {
	b.predicates = append(b.predicates, p)
	return b
}

// WithOptions sets the controller's options, and forgets those set before. Where
// NewQueue is not set the controller has our queue.
func (b *TypedBuilder[R]) WithOptions(options controller.TypedOptions[R]) *TypedBuilder[R] {
	b.options = options
	return b
}

// WithLogConstructor sets that option.
func (b *TypedBuilder[R]) WithLogConstructor(logConstructor func(*R) logr.Logger) *TypedBuilder[R] {
	b.options.LogConstructor = logConstructor
	return b
}

// Named sets the controller's name, in logs and metrics. It is the kind of For, in lower
// case, unless it is set, and no two controllers of a process may share it.
func (b *TypedBuilder[R]) Named(name string) *TypedBuilder[R] {
	b.name = name
	return b
}

// WithResync says when the controller looks at the objects of For although they have
// not changed. What the policy leaves open is as the cache has it for the kind. Predicates
// of updates do not hold such a resync back; see [predicate.OnResync]. What is set
// while the cache runs overrides it; see [cache.Cache.SetResync]. Other kinds are for
// [WithResyncPolicy]: to look at everything that an object owns is to look at it once for
// each.
//
// [predicate.OnResync]: https://pkg.go.dev/github.com/delta-runtime/delta-runtime/pkg/predicate#OnResync
func (b *TypedBuilder[R]) WithResync(policy resync.Policy) *TypedBuilder[R] {
	b.resync, b.resynced = policy, true
	return b
}

// WithLedger sets the limits of the controller's ledger, and what else the builder would
// choose otherwise. Fields that are not set are as if it had not been called.
func (b *TypedBuilder[R]) WithLedger(opts delta.LedgerOptions) *TypedBuilder[R] {
	b.keeping, b.ledgers = keepLedger, opts
	return b
}

// WithoutLedger builds a controller that does not remember why it makes requests:
// [delta.From] knows nothing in it, and its handlers have its own queue.
func (b *TypedBuilder[R]) WithoutLedger() *TypedBuilder[R] {
	b.keeping = keepNone
	return b
}

// Complete is Build for those who have no use for the controller.
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
	case b.forInput.err != nil:
		return nil, b.forInput.err
	}
	if err := b.checkPaths(); err != nil {
		return nil, err
	}
	p := newPlan(b)
	made, err := p.build(r)
	if err == nil {
		err = p.checkPathsLater()
	}
	if err != nil {
		return nil, err
	}
	return made, nil
}

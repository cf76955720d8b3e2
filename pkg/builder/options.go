package builder

import (
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/resync"
)

// ForOption is an option of [TypedBuilder.For]. Nobody outside of controller-runtime can read
// what its own options of this name set, so they do not fit our builder, nor ours theirs.
type ForOption interface{ applyToFor(*watching) }

// OwnsOption is an option of [TypedBuilder.Owns].
type OwnsOption interface{ applyToOwns(*watching) }

// WatchesOption is an option of [TypedBuilder.Watches], and of For and Owns as well.
type WatchesOption interface {
	ForOption
	OwnsOption
	applyToWatches(*watching)
}

// WithPredicates sets the predicates of one kind. The handler hears of the events that all of
// them let through.
func WithPredicates(predicates ...predicate.Predicate) WatchesOption {
	return option(func(w *watching) { w.predicates = predicates })
}

// WithResyncPolicy says when the controller sees objects of one kind that have not changed.
// Where the policy leaves something open, [TypedBuilder.WithResync] decides for the kind of
// For, and then the cache. See there for predicates.
func WithResyncPolicy(policy resync.Policy) WatchesOption {
	return option(func(w *watching) { w.resync = policy })
}

// OnlyMetadata watches the objects' metadata alone, and has the cache keep no more of them.
// Read them as metav1.PartialObjectMetadata then. If you read them in another form, the cache
// keeps that form as well, and the two are not always at the same state.
var OnlyMetadata WatchesOption = option(func(w *watching) { w.metadata = true })

// MatchEveryOwner makes a request for each owner of the kind. Without it only the owner that
// controls the object gets one.
var MatchEveryOwner OwnsOption = ownsOption(func(w *watching) { w.everyOwner = true })

// option is an option of For, Owns and Watches.
type option func(*watching)

func (o option) applyToFor(w *watching)     { o(w) }
func (o option) applyToOwns(w *watching)    { o(w) }
func (o option) applyToWatches(w *watching) { o(w) }

// ownsOption is an option of Owns alone.
type ownsOption func(*watching)

func (o ownsOption) applyToOwns(w *watching) { o(w) }

// watching is what the options have set.
type watching struct {
	predicates []predicate.Predicate
	metadata   bool // alone
	resync     resync.Policy
	everyOwner bool // of Owns alone
}

// watch is one kind that the controller watches.
type watch[R comparable] struct {
	object client.Object
	tell   handler.TypedEventHandler[client.Object, R] // of For and Owns, Build makes it
	how    watching
	cause  delta.Cause
}

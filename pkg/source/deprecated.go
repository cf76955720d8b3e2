package source

import (
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlpredicate "sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/predicate"
)

// What follows has moved to package predicate. It stays here for one release.

// ChangedAt is [predicate.TypedChangedAt].
//
// Deprecated: use that, or [predicate.ChangedAt] for objects of any type.
func ChangedAt[O client.Object](paths ...string) ctrlpredicate.TypedPredicate[O] {
	return predicate.TypedChangedAt[O](paths...)
}

// NotResync is [predicate.TypedNotResync].
//
// Deprecated: use that, or [predicate.NotResync] for objects of any type.
func NotResync[O client.Object]() ctrlpredicate.TypedPredicate[O] {
	return predicate.TypedNotResync[O]()
}

// NotStatusOnly is [predicate.TypedNotStatusOnly].
//
// Deprecated: use that, or [predicate.NotStatusOnly] for objects of any type.
func NotStatusOnly[O client.Object]() ctrlpredicate.TypedPredicate[O] {
	return predicate.TypedNotStatusOnly[O]()
}

// NotOwnWrite is [predicate.TypedNotOwnWrite].
//
// Deprecated: use that, or [predicate.NotOwnWrite] for objects of any type.
func NotOwnWrite[O client.Object](writes delta.OwnWrites) ctrlpredicate.TypedPredicate[O] {
	return predicate.TypedNotOwnWrite[O](writes)
}

// ResyncPredicate is [predicate.OnResync].
//
// Deprecated: use that.
type ResyncPredicate[O any] = predicate.OnResync[O]

// RelistedPredicate is [predicate.OnRelist].
//
// Deprecated: use that.
type RelistedPredicate[O any] = predicate.OnRelist[O]

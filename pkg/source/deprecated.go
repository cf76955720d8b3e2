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
// Deprecated: use package predicate.
func ChangedAt[O client.Object](paths ...string) ctrlpredicate.TypedPredicate[O] {
	return predicate.TypedChangedAt[O](paths...)
}

// NotResync is [predicate.TypedNotResync].
//
// Deprecated: use package predicate.
func NotResync[O client.Object]() ctrlpredicate.TypedPredicate[O] {
	return predicate.TypedNotResync[O]()
}

// NotStatusOnly is [predicate.TypedNotStatusOnly].
//
// Deprecated: use package predicate.
func NotStatusOnly[O client.Object]() ctrlpredicate.TypedPredicate[O] {
	return predicate.TypedNotStatusOnly[O]()
}

// NotOwnWrite is [predicate.TypedNotOwnWrite].
//
// Deprecated: use package predicate.
func NotOwnWrite[O client.Object](writes delta.OwnWrites) ctrlpredicate.TypedPredicate[O] {
	return predicate.TypedNotOwnWrite[O](writes)
}

// ResyncPredicate is [predicate.OnResync].
//
// Deprecated: use package predicate.
type ResyncPredicate[O any] = predicate.OnResync[O]

// RelistedPredicate is [predicate.OnRelist].
//
// Deprecated: use package predicate.
type RelistedPredicate[O any] = predicate.OnRelist[O]

package source

import (
	"context"

	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	ctrlpredicate "sigs.k8s.io/controller-runtime/pkg/predicate"
)

// NewEventHandler returns what stands between a foreign informer and a handler.
func NewEventHandler[O any, R comparable](ctx context.Context, tell handler.TypedEventHandler[O, R], predicates []ctrlpredicate.TypedPredicate[O]) toolscache.ResourceEventHandler {
	return &eventHandler[O, R]{ctx: ctx, to: newAttribution[R](nil, nil, false), handler: tell, predicates: predicates}
}

package observe

import (
	"context"
	"errors"
)

// ErrCacheStopped is returned by a cache that has ended. It makes no informer any more.
var ErrCacheStopped = errors.New("the cache has stopped")

type successorKey struct{}

// AskForSuccessor returns a context with which GetInformer makes no informer: it waits until somebody else has asked
// for the kind. So a source does not bring back what somebody has removed. A cache that does not know of it gives
// what it has.
func AskForSuccessor(ctx context.Context) context.Context {
	return context.WithValue(ctx, successorKey{}, true)
}

// IsForSuccessor reports whether ctx is from [AskForSuccessor].
func IsForSuccessor(ctx context.Context) bool { return ctx.Value(successorKey{}) != nil }

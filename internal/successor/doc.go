// Package successor is how a source asks a cache for the informer that takes the place of one that was removed. A source must not
// bring an informer back that somebody has removed. So with such a context GetInformer makes none: it waits until somebody
// else has asked for the kind. A context passes through caches that wrap ours. One that does not know of it gives what it has.
//
// Its functions may be called from any goroutine. The tests of pkg/cache and pkg/source are its tests.
package successor

import "context"

type key struct{}

// With returns a context with which GetInformer makes no informer, and waits for one that somebody else has made.
func With(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, true) }

// Wanted reports whether ctx is from With.
func Wanted(ctx context.Context) bool { return ctx.Value(key{}) != nil }

package peer

import (
	"context"
	"errors"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
)

// VisibleError is err as client-go's callers and handlers see it: nil where a
// watch that was open has ended, and the server's own error where none opened.
func VisibleError(err error) error {
	var failed *reflector.Error
	switch {
	case !errors.As(err, &failed):
		return err
	case failed.During == reflector.Following:
		return nil
	case failed.During == reflector.Watching:
		return failed.Err
	}
	return err
}

// OnWatchError calls handler for those failed attempts that client-go would have
// called it for: not where a watch is just asked for again a little later, and not
// where a streaming list gives way to pages. handler is asked for each time, so
// that it can be set late, and may be nil.
func OnWatchError(peer func() *cache.Reflector, handler func() cache.WatchErrorHandlerWithContext) func(context.Context, error) {
	return func(ctx context.Context, err error) {
		var failed *reflector.Error
		if errors.As(err, &failed) && (failed.During == reflector.Streaming || askedAgain(failed)) {
			return
		}
		if err = VisibleError(err); err == nil {
			return
		}
		if handler := handler(); handler != nil {
			handler(ctx, peer(), err)
			return
		}
		cache.DefaultWatchErrorHandler(ctx, peer(), err)
	}
}

// askedAgain reports whether client-go, too, would just ask for the watch again.
func askedAgain(failed *reflector.Error) bool {
	return failed.During == reflector.Watching &&
		(apierrors.IsTooManyRequests(failed.Err) || utilnet.IsConnectionRefused(failed.Err))
}

// Reflector makes, when first needed, what client-go's handlers of watch
// errors take: a Reflector of client-go's. They read its name and its kind. It never runs.
func Reflector(lw cache.ListerWatcher, example any, options cache.ReflectorOptions) func() *cache.Reflector {
	return sync.OnceValue(func() *cache.Reflector {
		return cache.NewReflectorWithOptions(lw, example, nil, options)
	})
}

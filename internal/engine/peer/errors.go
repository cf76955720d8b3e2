package peer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/engine/reflector"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
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

// detectMutations is whether client-go's switch for its mutation detector is on.
var detectMutations, _ = strconv.ParseBool(os.Getenv("KUBE_CACHE_MUTATION_DETECTOR"))

// OnMutation is what becomes of an object that was changed in the cache: a panic if client-go's
// environment variable KUBE_CACHE_MUTATION_DETECTOR is true. Else it is nil, and nobody looks.
func OnMutation(kind string) func(informer.Mutation) {
	if !detectMutations {
		return nil
	}
	return func(m informer.Mutation) {
		panic(fmt.Sprintf("%s %s was modified in the cache, where it is at version %s: %v", kind, m.Key, m.Version, m.Paths))
	}
}

// Guard calls a function and recovers its panic if ReallyCrash says that panics do not
// end the process. client-go's Reflector does the same and lists again.
func Guard(ctx context.Context, call func()) {
	if !utilruntime.ReallyCrash { // else the one that runs the informer handles it, once
		defer utilruntime.HandleCrashWithContext(ctx)
	}
	call()
}

// UnwrapCrash goes on panicking with what the task panicked with, which is what a
// caller that recovers expects, after logging where that was.
func UnwrapCrash(logger klog.Logger) {
	switch value := recover().(type) {
	case nil:
	case *lifecycle.Crash:
		logger.Error(value, "A task of the controller panicked", "task", value.Task)
		panic(value.Value)
	default:
		panic(value)
	}
}

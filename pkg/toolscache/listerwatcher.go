package toolscache

import (
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/listwatch"
)

// listWatcherOf shows a client-go ListerWatcher to a core that holds any object. example is
// one of its kind; see [listwatch.Options]. Where lw also is a
// cache.ListerWatcherWithContext, requests end with their context.
func listWatcherOf(lw cache.ListerWatcher, example any) listwatch.ListWatcher[any] {
	return listwatch.Of(clientOf(lw), listwatch.Options[any]{Convert: listwatch.AsItIs, Example: example})
}

// lendingListWatcher is listWatcherOf for cores that have [objects.Traits], which detach what they keep.
func lendingListWatcher(lw cache.ListerWatcher, example any) listwatch.ListWatcher[any] {
	return listwatch.Lent(clientOf(lw), example)
}

func clientOf(lw cache.ListerWatcher) listwatch.Client {
	in := cache.ToListerWatcherWithContext(lw)
	return listwatch.Client{List: in.ListWithContext, Watch: in.WatchWithContext}
}

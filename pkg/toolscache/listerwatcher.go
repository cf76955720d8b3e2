package toolscache

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/delta-runtime/delta-runtime/internal/api/listwatch"
	"github.com/delta-runtime/delta-runtime/internal/base/lifecycle"
	"github.com/delta-runtime/delta-runtime/internal/engine/peer"
)

// clientOf is a client-go ListerWatcher. Where that also is a cache.ListerWatcherWithContext, requests end with their context.
func clientOf(lw cache.ListerWatcher) listwatch.Client {
	in := cache.ToListerWatcherWithContext(lw)
	return listwatch.Client{List: leavable(in.ListWithContext).list, Watch: in.WatchWithContext}
}

// leavable is how a ListerWatcher lists. A ListFunc may know of no context.
type leavable func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error)

// list lists, and returns when nobody waits any more, as client-go does. It loses what the ListFunc returns or panics
// with after that. A list that only takes long is not given up.
func (l leavable) list(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
	var answer runtime.Object
	var err error
	group := lifecycle.New(context.WithoutCancel(ctx))
	defer group.Stop()
	task := group.Task("list", func(context.Context) { answer, err = l(ctx, opts) })
	whole := listwatch.Whole(ctx)
	select {
	case <-whole.Done():
		return nil, whole.Err()
	case <-task.Done():
	}
	defer peer.UnwrapCrash(klog.FromContext(ctx))
	group.Stop()
	_ = group.Wait() // panics if the ListFunc has
	return answer, err
}

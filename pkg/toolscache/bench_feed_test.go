package toolscache_test

import (
	"context"
	"net/http"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/delta-runtime/delta-runtime/internal/testing/benchkit"
)

// A feed is the API server of a benchmark: it lists Pods that were made before,
// and its watches send events that were made before. It costs a receive from a
// channel per event for each reader, so that what is measured is the informer.
type feed struct {
	list    *corev1.PodList
	watches chan *feedWatch
}

// newFeed returns a feed that lists the Pods. A watch is answered with the next
// of those given to [feed.serve]. While there is none the request hangs; ending
// its context is answered by a watch that says nothing, because an error there is
// something that client-go writes to the log.
func newFeed(pods []*corev1.Pod) *feed {
	list := &corev1.PodList{Items: make([]corev1.Pod, len(pods))}
	for i, pod := range pods {
		list.Items[i] = *pod
	}
	list.ResourceVersion = strconv.FormatUint(benchkit.VersionAfter(len(pods), 0), 10)
	return &feed{list: list, watches: make(chan *feedWatch, 1)}
}

// serve answers the next watch with w.
func (f *feed) serve(w *feedWatch) { f.watches <- w }

// IsWatchListSemanticsUnSupported is how a lister-watcher says that it cannot
// stream its list. Both sides then list and watch as they would with a server
// that has the streaming list turned off.
func (f *feed) IsWatchListSemanticsUnSupported() bool { return true }

// ListWithContext returns the same list every time. Both sides treat it as
// read-only: client-go copies the items out of it.
func (f *feed) ListWithContext(context.Context, metav1.ListOptions) (runtime.Object, error) {
	list := *f.list
	return &list, nil
}

func (f *feed) WatchWithContext(ctx context.Context, _ metav1.ListOptions) (watch.Interface, error) {
	select {
	case w := <-f.watches:
		return w, nil
	case <-ctx.Done():
		return newFeedWatch(0), nil
	}
}

func (f *feed) List(opts metav1.ListOptions) (runtime.Object, error) {
	return f.ListWithContext(context.Background(), opts)
}

func (f *feed) Watch(opts metav1.ListOptions) (watch.Interface, error) {
	return f.WatchWithContext(context.Background(), opts)
}

// A feedWatch sends what is put into its channel and ends when it is stopped.
type feedWatch struct {
	events chan watch.Event
}

// newFeedWatch returns a watch that takes so many events without blocking.
func newFeedWatch(capacity int) *feedWatch {
	return &feedWatch{events: make(chan watch.Event, capacity)}
}

func (w *feedWatch) ResultChan() <-chan watch.Event { return w.events }

// Stop leaves the channel open: a reader that stops a watch reads it no more,
// and a benchmark may still be putting events into it.
func (w *feedWatch) Stop() {}

// expire makes the watch say that its version is too old, so that its reader has
// to list again.
func (w *feedWatch) expire() {
	w.events <- watch.Event{Type: watch.Error, Object: &metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusGone, Reason: metav1.StatusReasonExpired,
		Message: "too old resource version",
	}}
}

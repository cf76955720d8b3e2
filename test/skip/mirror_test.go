//go:build slow

package skip

import (
	"context"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// mirror makes the memory follow the real server until end is called.
func (r *realServer) mirror(t *testing.T) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var running, ready sync.WaitGroup
	for _, k := range allKinds {
		ready.Add(1)
		once := sync.OnceFunc(ready.Done)
		running.Go(func() {
			defer once()
			for ctx.Err() == nil {
				r.follow(ctx, k, once)
				time.Sleep(20 * time.Millisecond) // the server does not have the kind, or has ended the watch
			}
		})
	}
	ready.Wait()
	return func() {
		cancel()
		running.Wait()
	}
}

// follow remembers the objects of a kind, and their changes while the watch lasts. Nothing is
// lost after that, because a kind has no objects when it is removed.
func (r *realServer) follow(ctx context.Context, k *kind, listed func()) {
	list := k.list(mapForm).(*unstructured.UnstructuredList)
	if r.api.List(ctx, list) != nil {
		return
	}
	for i := range list.Items {
		r.memory.mirror(k, apiwatch.Added, &list.Items[i])
	}
	options := client.ListOptions{}
	options.Raw = asListOptions(list.GetResourceVersion())
	events, err := r.api.Watch(ctx, k.list(mapForm), &options)
	if err != nil {
		return
	}
	defer events.Stop()
	listed()
	for e := range events.ResultChan() {
		if obj, ok := e.Object.(*unstructured.Unstructured); ok && e.Type != apiwatch.Error && e.Type != apiwatch.Bookmark {
			r.memory.mirror(k, e.Type, obj)
		}
	}
}

// mirror remembers the state of an object on the real server.
func (s *server) mirror(k *kind, what apiwatch.EventType, obj *unstructured.Unstructured) {
	next := &state{version: versionOf(obj), object: obj.Object}
	if what == apiwatch.Deleted {
		next.object = nil
	}
	id := objectID{k, obj.GetNamespace(), obj.GetName()}
	s.mu.Lock()
	defer s.mu.Unlock()
	if all := s.past[id]; len(all) == 0 || all[len(all)-1].version < next.version {
		s.past[id] = append(all, next)
		s.version = max(s.version, next.version)
	}
}

// asListOptions are the options of a watch from a version.
func asListOptions(version string) *metav1.ListOptions {
	return &metav1.ListOptions{ResourceVersion: version}
}

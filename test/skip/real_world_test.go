//go:build slow

package skip

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

const (
	// notReal are the traits that a world can't have on a real server: a test can't delay its watches.
	notReal = delays
	// slack is the longest time between two things that happen at the same moment in a bubble,
	// such as adding a request and noting it, or getting a request and reading the clock in the
	// reconciler.
	slack = 500 * time.Millisecond
	// silence is how long nothing happens in a world that has come to rest. It is longer than
	// the second without events after a handler's panic.
	silence = 1300 * time.Millisecond
)

// soon are settings with which the cache looks for missing kinds at short intervals.
var soon = informer.Settings{Backoff: informer.Backoff{Initial: 50 * time.Millisecond, Max: 300 * time.Millisecond}}

// play plays a plan in real time, and returns its story.
func (r *realServer) play(t *testing.T, p *plan) *story {
	t.Helper()
	told := newStory(p)
	defer telling.begin(told)()
	memory, end := r.begin(t)
	defer end()
	w := newWorld(p, told, memory)
	w.slack = slack
	w.run(context.Background())
	return told
}

// settings have the cache look for missing kinds at short intervals.
func (*realServer) settings() informer.Settings { return soon }

// settle waits until nothing happens any more.
func (*realServer) settle(w *world) {
	w.comeToRest()
	if w.poked {
		w.note(func() string { return "       each primary object is poked" })
		for _, id := range w.objects(w.primary()) {
			w.poke(id)
		}
		w.comeToRest()
	}
}

// comeToRest waits until the cache has shown the last writes, nothing has happened for a
// while, and nothing is wrong any more. If something stays wrong, the judge reports it.
func (w *world) comeToRest() {
	w.pokes++
	for _, k := range w.plan.kinds() {
		for _, namespace := range w.namespaces {
			id := objectID{k, namespace, "filler"}
			w.change(id, setting{note, fmt.Sprint("rest", w.pokes)})
			for _, watch := range w.watches {
				if watch.kind == k && !w.isShown(id, watch.form) {
					w.fail("the cache does not show the last write of %s (%s)", k, watch.form)
				}
			}
		}
	}
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if w.sinceNews() > silence && len(w.complaints()) == 0 {
			return
		}
		if w.sinceNews() > 10*silence { // it will not become better
			return
		}
	}
}

// isShown waits until the cache shows the newest state of an object.
func (w *world) isShown(id objectID, f form) bool {
	want := w.server.present(id).version
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		obj := id.kind.example(f)
		if w.running.cache.Get(w.running.context, client.ObjectKey{Namespace: id.namespace, Name: id.name}, obj) != nil {
			continue
		}
		if version, err := strconv.ParseInt(obj.GetResourceVersion(), 10, 64); err == nil && version >= want {
			return true
		}
	}
	return false
}

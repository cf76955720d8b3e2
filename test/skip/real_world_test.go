package skip

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/testing/controlplane"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

const (
	// notReal is what a world can't have on a real server: there is nobody to hold its
	// watches back, and floods take long.
	notReal = delays | floods
	// slack is how far apart things may be that happen at one moment in a bubble: that a
	// request is added and noted, that it is taken and the reconciler looks at the clock.
	slack = 500 * time.Millisecond
	// silence is for how long nothing happens in a world that has come to rest. A handler
	// that has panicked is left alone for a second.
	silence = 1300 * time.Millisecond
)

// soon has what is missing looked for again and again.
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

// settleReally has all faults end, and waits until nothing happens any more.
func (w *world) settleReally() {
	w.comeToRest()
	if w.poked {
		w.note(func() string { return "       each primary object is poked" })
		for _, id := range w.objects(w.primary()) {
			w.poke(id)
		}
		w.comeToRest()
	}
}

// comeToRest waits until the cache has shown what was written last, nobody has done
// anything for a while, and nothing is wrong any more. What stays wrong the judge will say.
func (w *world) comeToRest() {
	w.pokes++
	for _, k := range w.plan.kinds() {
		for _, namespace := range w.namespaces {
			id := objectID{k, namespace, filler}
			w.change(id, setting{note, fmt.Sprint("rest", w.pokes)})
			for _, watch := range w.watches {
				if watch.kind == k && !w.isShown(id, watch.form) {
					w.fail(outOfTheWorld, "the cache does not show the last write of %s (%s)", k, watch.form)
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

// hangUp closes the connections of a manager that has ended.
func (l *life) hangUp() { controlplane.HangUp(l.manager.GetHTTPClient()) }

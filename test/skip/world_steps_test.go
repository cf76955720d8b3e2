package skip

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	crcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// poke changes a primary object at a place that no job depends on.
func (w *world) poke(id objectID) {
	w.pokes++
	var value any = fmt.Sprint("poke", w.pokes)
	if id.kind == deployment {
		value = w.pokes
	}
	w.change(id, setting{id.kind.poke, value})
}

func (w *world) restart(length time.Duration) {
	w.stop()
	time.Sleep(length)
	w.note(func() string { return "       the manager starts again" })
	for _, o := range w.operators {
		o.forget()
	}
	w.start(context.Background())
}

// change creates an object or changes it.
func (w *world) change(id objectID, all ...setting) {
	version := w.server.change(id, func(object map[string]any) {
		for _, s := range all {
			s.place.set(object, s.value)
		}
	})
	w.note(func() string { return fmt.Sprintf("       %s is at %d: %s", id, version, w.sketch(id, version)) })
}

// alter changes an object if it exists.
func (w *world) alter(id objectID, s setting) {
	if w.server.present(id) != nil {
		w.change(id, s)
	}
}

func (w *world) remove(id objectID) {
	if version := w.server.remove(id); version != 0 {
		w.note(func() string { return fmt.Sprintf("       %s is gone at %d", id, version) })
	}
}

// lose makes all lists and watches at a door fail for a while, and forgets the events of that
// time.
func (w *world) lose(d door, status int, length time.Duration) {
	if w.server.real != nil {
		found := w.server.real.lose()
		w.lasting(length, func() {
			found()
			w.note(func() string { return "       the line is up again" })
		})
		return
	}
	w.server.treat(d, func(m *manners) { m.refuses = status })
	w.server.cut(d, errCut)
	w.lasting(length, func() {
		w.server.compact()
		w.server.treat(d, func(m *manners) { m.refuses = 0 })
		w.note(func() string { return fmt.Sprintf("       %s can be watched again", d) })
	})
}

func (w *world) hold(d door, length time.Duration) {
	w.server.treat(d, func(m *manners) { m.holds = true })
	w.lasting(length, func() {
		w.server.treat(d, func(m *manners) { m.holds = false })
		w.note(func() string { return fmt.Sprintf("       the watch of %s goes on", d) })
	})
}

// removeInformer has somebody else ask for the kind again, because the operator's sources wait for that.
func (w *world) removeInformer(d door) {
	if err := w.running.cache.RemoveInformer(w.running.context, d.kind.example(d.form)); err != nil {
		w.fail("remove the informer of %s: %v", d, err)
	}
	l := w.running
	w.errand(func() {
		for l.context.Err() == nil { // the server may not have the kind
			if _, err := l.cache.GetInformer(l.context, d.kind.example(d.form), crcache.BlockUntilSynced(false)); err == nil {
				return
			}
			time.Sleep(time.Second)
		}
	})
}

func (w *world) depart(namespace string, how informer.Removal, length time.Duration) {
	if !w.departed.CompareAndSwap(false, true) {
		return
	}
	l := w.running
	w.errand(func() {
		defer w.departed.Store(false)
		if err := l.cache.RemoveNamespace(l.context, namespace, how); err != nil {
			w.fail("remove namespace %s from the cache: %v", namespace, err)
			return
		}
		select {
		case <-time.After(length):
		case <-w.ending:
		}
		err := l.cache.AddNamespace(l.context, namespace, crcache.Config{})
		if err != nil && l.context.Err() == nil {
			w.fail("add namespace %s to the cache again: %v", namespace, err)
		}
		w.note(func() string { return fmt.Sprintf("       namespace %s is back", namespace) })
	})
}

// uproot removes a custom kind from the server with all its objects.
func (w *world) uproot(k *kind, length time.Duration) {
	for _, id := range w.objects(k) {
		w.remove(id)
	}
	if w.server.real != nil {
		w.lasting(length, w.server.real.uproot(k))
		return
	}
	for _, f := range []form{typedForm, mapForm, metadataForm} {
		w.lose(door{k, f}, http.StatusNotFound, length)
	}
}

func (w *world) resync(d door) {
	if err := w.running.cache.Resync(w.running.context, d.kind.example(d.form), nil); err != nil && !w.has(latecomers) { // with latecomers there may be no informer yet
		w.fail("resync %s: %v", d, err)
	}
}

// relist asks for a new list, and does not wait for it.
func (w *world) relist(d door) {
	l := w.running
	w.errand(func() {
		_ = l.cache.Relist(l.context, d.kind.example(d.form)) // this may not be possible now
	})
}

// ring sends an event through the operators' channel sources.
func (w *world) ring(id objectID) {
	obj := id.kind.example(metadataForm)
	obj.SetNamespace(id.namespace)
	obj.SetName(id.name)
	for _, o := range w.operators {
		select {
		case o.bell <- event.GenericEvent{Object: obj}:
		default: // the operator does not run
		}
	}
}

// ownWrite changes an object with the manager's own client.
func (w *world) ownWrite(id objectID, value any) {
	if w.server.real == nil {
		w.writeAsManager(id, value)
	} else {
		w.server.real.written(id, func() string { return w.writeAsManager(id, value) })
	}
}

// writeAsManager returns the new version, or nothing if it can't write.
func (w *world) writeAsManager(id objectID, value any) (version string) {
	obj := id.kind.example(mapForm)
	key := client.ObjectKey{Namespace: id.namespace, Name: id.name}
	if err := w.running.manager.GetAPIReader().Get(w.running.context, key, obj); err != nil {
		return ""
	}
	obj.SetAnnotations(map[string]string{"note": text(value)})
	if err := w.running.manager.GetClient().Update(w.running.context, obj); err != nil {
		if !errors.Is(err, context.Canceled) {
			w.note(func() string { return fmt.Sprintf("       which failed: %v", err) })
		}
		return ""
	}
	return obj.GetResourceVersion()
}

package skip

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// handling is a handler that is slow, as users' handlers may be. It notes the requests that
// it has added, and their events.
type handling struct {
	*operator
	watch   *watch
	life    *life
	handler handler.EventHandler
}

var _ handler.EventHandler = (*handling)(nil)

// delivered has the parts that all sorts of events have.
type delivered struct {
	obj     client.Object
	version int64 // the version of the object; for a deleted object the version of its deletion
	resync  bool
	pass    func(ctx context.Context, q queue)
}

// Create passes an event on.
func (h *handling) Create(ctx context.Context, e event.CreateEvent, q queue) {
	h.deliver(ctx, q, delivered{e.Object, versionOf(e.Object), false, func(ctx context.Context, q queue) { h.handler.Create(ctx, e, q) }})
}

// Update passes an event on.
func (h *handling) Update(ctx context.Context, e event.UpdateEvent, q queue) {
	resync := versionOf(e.ObjectOld) == versionOf(e.ObjectNew)
	h.deliver(ctx, q, delivered{e.ObjectNew, versionOf(e.ObjectNew), resync, func(ctx context.Context, q queue) { h.handler.Update(ctx, e, q) }})
}

// Delete passes an event on.
func (h *handling) Delete(ctx context.Context, e event.DeleteEvent, q queue) {
	version := h.gone(h.watch.kind, e.Object)
	h.deliver(ctx, q, delivered{e.Object, version, false, func(ctx context.Context, q queue) { h.handler.Delete(ctx, e, q) }})
}

// Generic passes an event on.
func (h *handling) Generic(ctx context.Context, e event.GenericEvent, q queue) {
	h.handler.Generic(ctx, e, q)
}

// delta passes a delta from a source of deltas on.
func (h *handling) delta(ctx context.Context, d delta.Delta[client.Object], q queue) {
	if d.Op == delta.OutOfScope {
		return
	}
	obj := d.Object()
	version := versionOf(obj)
	if d.Op == delta.Deleted {
		version = h.gone(h.watch.kind, obj)
	}
	h.deliver(ctx, q, delivered{obj, version, d.Op == delta.Sync, func(ctx context.Context, q queue) {
		for _, state := range []client.Object{d.Old, d.New} {
			if state == nil {
				continue
			}
			for _, r := range h.requestsOf(ctx, h.watch, h.life, state) {
				q.Add(r)
			}
		}
	}})
}

// versionOf returns the version of an object.
func versionOf(obj delta.Object) int64 {
	version, err := strconv.ParseInt(obj.GetResourceVersion(), 10, 64)
	if err != nil {
		panic(fmt.Sprintf("the version of an object is %q", obj.GetResourceVersion()))
	}
	return version
}

// gone returns the version at which an object was deleted. obj is the last known state of it.
func (w *world) gone(k *kind, obj delta.Object) int64 {
	id := objectID{k, obj.GetNamespace(), obj.GetName()}
	if was := w.stateOf(id, obj); was.object == nil {
		return was.version
	}
	return w.server.goneAfter(id, versionOf(obj)).version
}

// deliver passes an event on, at the pace of the watch.
func (h *handling) deliver(ctx context.Context, q queue, d delivered) {
	w := h.watch
	id := objectID{w.kind, d.obj.GetNamespace(), d.obj.GetName()}
	about := []any{"handler", h.temper, w.n, id, d.version, d.resync}
	if w.crashes && !h.calm.Load() && (h.doomed.Load() || h.dice.percent(15, append(about, "crash")...)) {
		h.note(func() string { return fmt.Sprintf("%-8s watch %d panics at %s at %d", h.temper, w.n, id, d.version) })
		panic(wanted("a handler"))
	}
	to := &noting{PriorityQueue: q.(priorityqueue.PriorityQueue[reconcile.Request]), handling: h, about: d, id: id}
	switch w.pace {
	case sleepy:
		most := []time.Duration{time.Microsecond, 20 * time.Millisecond, 200 * time.Millisecond}[h.dice.roll(3, append(about, "pace")...)]
		if most > time.Microsecond {
			time.Sleep(h.dice.pause(most, about...))
		}
		d.pass(ctx, to)
	case delaying:
		to.delay = h.dice.pause(100*time.Millisecond, about...)
		d.pass(ctx, to)
	default:
		d.pass(ctx, to)
	}
}

// noting is the queue for a handler. It notes the added requests.
type noting struct {
	priorityqueue.PriorityQueue[reconcile.Request]
	handling *handling
	about    delivered
	id       objectID
	delay    time.Duration // how long added requests have to wait
}

func (q *noting) added(r reconcile.Request) {
	if q.handling.life.context.Err() == nil {
		q.handling.show(q.handling.watch, r, q.id, q.about.version)
		if q.about.resync {
			q.handling.showResync(q.handling.watch, r)
		}
	}
}

// Add adds a request and notes it.
func (q *noting) Add(r reconcile.Request) {
	if q.delay > 0 {
		q.PriorityQueue.AddAfter(r, q.delay)
	} else {
		q.PriorityQueue.Add(r)
	}
	q.added(r)
}

// AddWithOpts adds requests and notes them.
func (q *noting) AddWithOpts(opts priorityqueue.AddOpts, all ...reconcile.Request) {
	opts.After = max(opts.After, q.delay)
	q.PriorityQueue.AddWithOpts(opts, all...)
	for _, r := range all {
		q.added(r)
	}
}

// noted is the last predicate of a watch with the builder's own handler. Every event that
// reaches it leads to a request.
type noted struct {
	*operator
	watch *watch
	life  *life
}

var _ predicate.Predicate = (*noted)(nil)

func (n *noted) add(version int64, resync bool, all ...client.Object) bool {
	if n.life.context.Err() != nil {
		return true
	}
	requests := map[reconcile.Request]struct{}{}
	for _, obj := range all {
		for _, r := range n.requestsOf(context.Background(), n.watch, n.life, obj) {
			requests[r] = struct{}{}
		}
	}
	id := objectID{n.watch.kind, all[0].GetNamespace(), all[0].GetName()}
	for r := range requests {
		n.show(n.watch, r, id, version)
		if resync {
			n.showResync(n.watch, r)
		}
	}
	return true
}

// Create notes the event.
func (n *noted) Create(e event.CreateEvent) bool { return n.add(versionOf(e.Object), false, e.Object) }

// Update notes the event.
func (n *noted) Update(e event.UpdateEvent) bool {
	return n.add(versionOf(e.ObjectNew), versionOf(e.ObjectOld) == versionOf(e.ObjectNew), e.ObjectNew, e.ObjectOld)
}

// Delete notes the event.
func (n *noted) Delete(e event.DeleteEvent) bool {
	return n.add(n.gone(n.watch.kind, e.Object), false, e.Object)
}

// Generic lets the event pass.
func (n *noted) Generic(event.GenericEvent) bool { return true }

// judged is a predicate of ours that must not hold back changes that jobs depend on.
type judged struct {
	predicate.Predicate
	operator *operator
	watch    *watch
}

// Update asks the predicate, and checks the events that it holds back.
func (p *judged) Update(e event.UpdateEvent) bool {
	passes := p.Predicate.Update(e)
	if passes || !p.watch.filter.ours {
		return passes
	}
	o, w := p.operator, p.watch
	id := objectID{w.kind, e.ObjectNew.GetNamespace(), e.ObjectNew.GetName()}
	before, after := o.stateOf(id, e.ObjectOld), o.stateOf(id, e.ObjectNew)
	if before.object == nil || after.object == nil {
		return false
	}
	if e.ObjectOld.GetUID() != e.ObjectNew.GetUID() {
		o.fail("%s of watch %d holds back that %s is another object: %d→%d", w.filter.name, w.n, id, before.version, after.version)
	}
	for _, place := range w.promised() {
		if x, y := place.get(before.object), place.get(after.object); text(x) != text(y) {
			o.fail("%s of watch %d holds back that %s of %s changed from %v to %v: %d→%d", w.filter.name, w.n, place.path, id, x, y, before.version, after.version)
		}
	}
	return false
}

// promised returns the places whose changes the predicate of the watch has to let through.
func (w *watch) promised() []*place {
	var all []*place
	for _, p := range append([]*place{labelled, owned, w.kind.ref, w.kind.poke}, w.kind.places...) {
		if p != nil && w.filter.shows(p) {
			all = append(all, p)
		}
	}
	return all
}

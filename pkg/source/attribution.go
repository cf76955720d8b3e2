package source

import (
	"cmp"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
	"github.com/delta-runtime/delta-runtime/pkg/informer"
)

// attribution makes the queues that handlers are given, one for each delivery. They
// are not used again: a handler may keep its queue, and what it adds later is still for
// that delivery's change and no other.
type attribution[R comparable] struct {
	queue  workqueue.TypedRateLimitingInterface[R] // the controller's
	ledger *delta.Ledger[R]                        // nil: nothing is recorded
	cause  delta.Cause
	kind   schema.GroupVersionKind
}

// queueFor returns the queue for the delivery of a delta.
func (a *attribution[R]) queueFor(d *delta.Delta[any]) workqueue.TypedRateLimitingInterface[R] {
	because := why[R]{ledger: a.ledger}
	if terms := d.Resync(); terms != nil {
		because.rest = terms.OnlyIfNotReconciledFor
		if terms.Lane != 0 {
			because.lane = &terms.Lane
		}
	}
	if a.ledger == nil && because.lane == nil {
		return a.queue
	}
	if a.ledger != nil {
		because.change = a.change(d).Once()
	}
	return newRecordingQueue(a.queue, because)
}

// change is what a delta is to those whose requests it leads to.
func (a *attribution[R]) change(d *delta.Delta[any]) delta.Change {
	before, _ := d.Old.(delta.Object) // the zero Object for none, and for what is no object
	after, _ := d.New.(delta.Object)
	c := delta.Change{
		Cause: cmp.Or(a.cause, delta.Mapped), Kind: a.kind, Key: d.Key,
		Op: d.Op, Old: before, New: after,
		First: d.Seen, Last: d.Seen, Deltas: 1 + int(d.Folded),
		Missed: d.Missed, Relisted: d.Relisted, Origin: d.Origin,
	}
	switch {
	case d.Op == delta.Sync:
		c.Cause, c.Origin = delta.Resync, nil // which says who asked, and not who wrote
	case d.Initial:
		c.Cause = delta.InitialList
	}
	return c
}

// foreignDelta is what an informer of somebody else's tells, as well as it can be known.
func foreignDelta(op delta.Op, before, after any) *delta.Delta[any] {
	d := &delta.Delta[any]{Op: op, Old: before, New: after, Seen: time.Now()}
	old, _ := before.(client.Object)
	obj, ok := after.(client.Object)
	if !ok {
		obj = old
	}
	if isNil(obj) {
		return d // which the handler is not told of either
	}
	d.Key = delta.Key{Namespace: obj.GetNamespace(), Name: obj.GetName()}
	d.Version = obj.GetResourceVersion()
	if op == delta.Updated && !isNil(old) && d.Version != "" && d.Version == old.GetResourceVersion() && obj.GetUID() == old.GetUID() {
		d.Op = delta.Sync
	}
	return d
}

// saysSomething reports whether a policy has an opinion on anything.
func saysSomething(p informer.ResyncPolicy) bool { return !reflect.ValueOf(p).IsZero() }

package source

import (
	"time"

	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/api/objects"
	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// The functions below return the delta that a callback of client-go's informers stands for.
// A callback says less than a delta, so some of it is inferred.

// fromAdd is for OnAdd.
func fromAdd(obj any, initial bool) delta.Delta[any] {
	d := fromCallback(delta.Added, nil, obj)
	d.Initial = initial
	return d
}

// fromUpdate is for OnUpdate. In a resync client-go's informers show one object in memory
// twice. After a relist they show the object that they listed again.
func fromUpdate(before, after any, resync *delta.Origin) delta.Delta[any] {
	d := fromCallback(delta.Updated, before, after)
	if d.Op == delta.Sync && before == after {
		d.Origin = resync
	}
	return d
}

// fromDelete is for OnDelete. A callback does not show the state before a deletion. That state
// is hardly ever another one than the final state, so the final state stands for it.
func fromDelete(obj any) delta.Delta[any] {
	tombstone, missed := obj.(toolscache.DeletedFinalStateUnknown)
	if !missed {
		return fromCallback(delta.Deleted, obj, obj)
	}
	d := fromCallback(delta.Deleted, tombstone.Obj, nil)
	d.Missed = true
	return d
}

// fromCallback reads key and version off the object. An update that changes nothing becomes
// a Sync. A value that is not an object stays in the delta as it is: deliver leaves it out.
func fromCallback(op delta.Op, before, after any) delta.Delta[any] {
	d := delta.Delta[any]{Op: op, Old: before, New: after, Seen: time.Now()}
	old, _ := before.(client.Object)
	obj, ok := after.(client.Object)
	if !ok {
		obj = old
	}
	if objects.IsNil(obj) {
		return d
	}
	d.Key = delta.Key{Namespace: obj.GetNamespace(), Name: obj.GetName()}
	d.Version = obj.GetResourceVersion()
	if op == delta.Updated && !objects.IsNil(old) && path.SameState(old, obj) {
		d.Op = delta.Sync
	}
	return d
}

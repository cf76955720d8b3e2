package source

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/delta-runtime/delta-runtime/internal/api/objects"
	"github.com/delta-runtime/delta-runtime/internal/schema/path"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// fromCallback returns the delta that a callback of client-go's informers stands for. A callback says less than a
// delta, so some of it is inferred: key and version are read off the object. An update that changes nothing becomes
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

package toolscache

import (
	"k8s.io/client-go/tools/cache"

	"github.com/delta-runtime/delta-runtime/internal/objects"
	"github.com/delta-runtime/delta-runtime/internal/store"
	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// objectKey is the key of anything that client-go's key functions accept.
func objectKey(obj any) (delta.Key, error) {
	switch o := obj.(type) {
	case cache.DeletedFinalStateUnknown:
		return delta.ParseKey(o.Key), nil
	case cache.ExplicitKey:
		return delta.ParseKey(string(o)), nil
	}
	key, err := objects.Key(obj)
	if err != nil {
		return delta.Key{}, cache.KeyError{Obj: obj, Err: err}
	}
	return key, nil
}

// objectTraits are those of objects, for stores to which client-go's callers write.
var objectTraits = func() store.Traits[any] {
	traits := objects.Traits
	traits.Key = objectKey
	return traits
}()

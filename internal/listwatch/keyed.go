package listwatch

import (
	"errors"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/delta-runtime/delta-runtime/pkg/delta"
)

// keyed is the error of an object that can't be understood, and whose key can be read.
type keyed struct {
	error
	key delta.Key
}

// Unwrap returns the error itself.
func (k *keyed) Unwrap() error { return k.error }

// WithKey returns err with the key of the object that it is about. So who misses the object knows that this one
// is there, and that no other is hidden. A key without a name says nothing.
func WithKey(err error, key delta.Key) error {
	if err == nil || key.Name == "" {
		return err
	}
	return &keyed{err, key}
}

// KeyOf returns the key that err has.
func KeyOf(err error) (delta.Key, bool) {
	if k, ok := errors.AsType[*keyed](err); ok {
		return k.key, true
	}
	return delta.Key{}, false
}

// keyedBy is WithKey for an object that was decoded, if it has a key.
func keyedBy(err error, obj runtime.Object) error {
	if err == nil {
		return nil
	}
	about, unreadable := meta.Accessor(obj)
	if unreadable != nil {
		return err
	}
	return WithKey(err, delta.Key{Namespace: about.GetNamespace(), Name: about.GetName()})
}

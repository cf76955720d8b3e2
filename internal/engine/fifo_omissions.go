package engine

import "github.com/delta-runtime/delta-runtime/pkg/delta"

// maxOmissions bounds the keys that omissions remember, to some megabytes.
const maxOmissions = 1 << 16

// omissions are the objects of a scope that a state is missing of, because it could not be read or the transform
// refused it. The next item of such an object may hide that the change was undone. A list starts with no omissions
// but its own.
type omissions struct {
	keys map[delta.Key]struct{} // those that are known by name
	any  bool                   // a state of some object is missing, and its key is not known
	sure map[delta.Key]struct{} // if any: objects that had an item since

	partial bool // the list itself lacks an object whose key is not known
}

// of notes an object.
func (o *omissions) of(key delta.Key) {
	if len(o.keys) >= maxOmissions {
		o.ofAny()
		return
	}
	if o.keys == nil {
		o.keys = map[delta.Key]struct{}{}
	}
	o.keys[key] = struct{}{}
}

// ofAny notes an object whose key could not be read.
func (o *omissions) ofAny() {
	o.any = true
	clear(o.sure)
}

// may reports whether an object may be there that nobody has seen.
func (o *omissions) may(key delta.Key) bool {
	_, omitted := o.keys[key]
	return omitted || o.any || o.partial
}

// before reports whether a state of the object may have been left out before its next item.
// It is asked once for each item.
func (o *omissions) before(key delta.Key) bool {
	_, omitted := o.keys[key]
	delete(o.keys, key)
	if !o.any {
		return omitted
	}
	if _, sure := o.sure[key]; sure {
		return omitted
	}
	if o.sure == nil {
		o.sure = map[delta.Key]struct{}{}
	}
	if len(o.sure) < maxOmissions {
		o.sure[key] = struct{}{}
	}
	return true
}

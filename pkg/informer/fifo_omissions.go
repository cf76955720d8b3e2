package informer

import "github.com/delta-runtime/delta-runtime/pkg/delta"

// maxOmissions bounds the keys that omissions remember, to some megabytes.
const maxOmissions = 1 << 16

// omissions are the objects of a scope of which a state was left out, because it could not
// be read or the transform refused it. The next item of such an object may hide that state:
// what it changed may have been changed back. A complete list begins again with none: what
// is hidden by then, the list's own doubt covers.
type omissions struct {
	keys map[delta.Key]struct{} // those that are known by name
	any  bool                   // a state of some object was left out, nobody knows of which
	sure map[delta.Key]struct{} // if any: those that have been heard of since
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

// ofAny notes an object of which not even the key could be read.
func (o *omissions) ofAny() {
	o.any = true
	clear(o.sure)
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
